env -i env; env -u HOME printenv HOME; echo $?; env | grep -c -e LD_PRELOAD -e HEADRACE; set | grep -a -c HEADRACE
env A=1 LD_PRELOAD= printenv LD_PRELOAD; echo $?; export -p | grep -c PRELOAD; env -i sh -c 'env | sort'; env -i bash -c 'env' | sort

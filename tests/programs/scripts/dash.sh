dash -c 'exec 3>f; echo a >&3; exec 3>&-; while read -r l; do echo "$l"; done <f; : >g; cat f - <<X
x
X
(cd /; pwd); trap "echo bye" EXIT; ulimit -n 15; seq 4 | tr -d "\n"'

yes | head -2; echo ${PIPESTATUS[*]}; seq 100000 | head -1; echo ${PIPESTATUS[*]}; seq 2000 | xargs -P 4 -n 100 echo | wc -w
mkfifo p; (echo in fifo >p &) ; cat p; trap 'echo trapped' USR1; kill -USR1 $$; sh -c 'kill -TERM $$'; echo $?
find /etc -maxdepth 1 -name 'host*' -print0 | sort -z | xargs -0 ls -d

(ulimit -n 20; seq 9 >a; sort a | uniq | wc -l; cat a a a | tail -1; for i in 1 2 3; do cp a b$i; done; ls)
echo hidden >&-; echo $?; cat <&-; echo $?; (cp /etc/hostname copied) <&- >&- 2>&-; echo $?
sh -c 'exec 0<&- 1>&- 2>&-; echo x >a; cat <a >b'; ls /proc/self/fd <&- | wc -l; (seq 5 >l) <&- >&- 2>&-; cat l; (ls nowhere) 2>&-; echo $?

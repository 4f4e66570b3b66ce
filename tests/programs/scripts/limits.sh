(ulimit -f 8; head -c 6000 /dev/zero >small; echo $?; trap '' XFSZ; head -c 90000 /dev/zero >large) 2>/dev/null; echo $?; wc -c small large
(ulimit -f 1; ls | wc -l; seq 3 | sort); { (ulimit -f 0; echo | cat); } 2>/dev/null; (ulimit -v 400000; seq 100 | sort -n | tail -1)
(ulimit -s 256; ls; seq 3); { (ulimit -c 0; kill -SEGV $BASHPID); } 2>/dev/null; echo $?

seq 20000 >a; cp a b; cp -p --reflink=never a c; mv b d; ln d e; ln -s d f; cp -a f g; install -m 640 a i
cmp a d && rm c; mkdir -p t/u/v; cp -r t x; dd if=a of=z bs=1000 count=7 skip=2 seek=3 status=none
dd if=a of=z bs=1000 count=2 skip=1 seek=3 conv=notrunc status=none; truncate -s 100K z; touch -d 2001-01-01 a
stat -c '%n %s %a %h' a; stat -c %Y a; du -ab --apparent-size . | sort; find . -newer a -type f | sort; find . | wc -l

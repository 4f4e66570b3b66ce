seq 60000 >a; tac a | head -3; sort -R --random-source=a a >r; sort -n -S 100K -T . r | cmp - a; split -n l/5 -d a part.
cat part.* | md5sum; tee one two <part.00 | wc; tail -n 3 a; head -c 10 a; wc -c <a; cut -c1-2 a | uniq | tail -1
comm -12 a a 2>&1 | wc -l; od -c part.04 | tail -2; paste a a | sed -n 5p; grep -c 9 a; awk 'NR%9999==0' a; diff a r | wc -l
(for i in 1 2 3; do echo line $i; sleep 0.1; done >grow) & touch grow; timeout 1 tail -n +1 -f grow; echo $?; wait

exec 3>three; echo to three >&3; exec 4<three; read -r x <&4; echo "$x"; exec 3>&- 4<&-; cat <<X
here $x
X
cat <<<"string"; diff <(seq 3) <(seq 4); echo $?; { echo out; echo err >&2; } >both 2>&1; cat both; cat </dev/null
seq 5 | while read -r i; do echo $((i * i)); done | tail -1; echo a >>both; wc -l <both; (exec 9<both; head -1 <&9)
coproc cat; echo through >&"${COPROC[1]}"; read -r y <&"${COPROC[0]}"; echo "$y"; echo x | tee >(cat >sub); sleep 0.3; cat sub

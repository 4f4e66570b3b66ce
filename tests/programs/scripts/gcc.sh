printf '#include <stdio.h>\nint f(int);int main(void){return printf("%%d\\n",f(2))<0;}' >m.c; echo 'int f(int x){return x*21;}' >f.c
printf 'p: m.o f.o\n\tgcc -o $@ $^\n%%.o: %%.c\n\tgcc -O1 -c $<\n' >Makefile
make -s -j4 p && ./p; make p; gcc -pipe -S f.c; gcc bad.c 2>/dev/null; echo $?; ar rcD l.a f.o; nm l.a

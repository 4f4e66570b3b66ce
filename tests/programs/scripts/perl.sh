perl -e 'open(F,">","f");print F "x$_\n" for 1..999;close F;open(F,"<","f");seek(F,100,0);read(F,$b,9);print $b,tell(F),"\n";
print `echo sub`;system("exit 3");print $?>>8,"\n";$|=1;
$p=open(P,"-|")//die;if(!$p){print "child\n";exit 4}print <P>;close P;print $?>>8,"\n";
print join(",",sort grep /PRELOAD|HEADRACE/,keys %ENV),"\n";rename "f","g";unlink "g";$0="renamed title";opendir D,".";print scalar(grep !/^\./,readdir D)'

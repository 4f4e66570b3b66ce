mkdir d; seq 9999 >d/a; ln d/a d/b; ln -s a d/c; truncate -s 1M d/sparse; echo tail >>d/sparse
tar -cSf t.tar --mtime=@0 --sort=name d
tar -tf t.tar; mkdir x; tar -xf t.tar -C x; (cd x; tar -df ../t.tar | grep -v 'Mod time'); du x/d/sparse | cut -f1; tar -cz d | tar -tz | sort

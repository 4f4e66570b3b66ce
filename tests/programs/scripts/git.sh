export GIT_AUTHOR_DATE='2001-01-01T00:00:00Z' GIT_COMMITTER_DATE='2001-01-01T00:00:00Z'
git() { command git -c user.name=n -c user.email=e@x -c init.defaultBranch=main -c gc.auto=0 -c core.fsync=all "$@"; }
git init -q r; cd r || exit
for i in 1 2 3; do seq $((i * 500)) >f$i; git add .; git commit -qm $i; done; git gc -q --prune=now; git fsck --full 2>&1
cd ..; git clone -q r s; cd s || exit; git log --format='%H %s'; echo x >>f1; git diff --stat; git stash -q; git status --short; git checkout -q -b z; git branch
cd ..; rm -rf r/.git s/.git

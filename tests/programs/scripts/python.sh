cat >p.py <<'X'
import os, subprocess, multiprocessing, tempfile, atexit, shutil
def work(n):
    with open(f"w{n}", "w") as f: f.write(str(n))
    return n * n
if __name__ == "__main__":
    print(sorted(k for k in os.environ if "HEADRACE" in k or "PRELOAD" in k))
    print(subprocess.run(["env"], env={}, capture_output=True).stdout, subprocess.check_output(["echo", "a"], close_fds=True))
    print(subprocess.run(["sh", "-c", "ls /proc/self/fd | wc -l"], capture_output=True, preexec_fn=lambda: None).stdout)
    for how in ("fork", "forkserver", "spawn"):
        with multiprocessing.get_context(how).Pool(2) as pool: print(how, pool.map(work, range(4)))
    atexit.register(print, "last"); atexit.register(print, "first")
    with tempfile.TemporaryFile() as f: f.write(b"x" * 9); print(f.tell())
    print(sorted(os.listdir(".")), shutil.which("sh"))
X
PYTHONDONTWRITEBYTECODE=1 python3 p.py

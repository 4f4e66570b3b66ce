"""Captures every PBS job: a hook of OpenPBS and PBS Professional for the events execjob_launch and execjob_epilogue.

On each node it preloads the capture library into the job's tasks, and at the end makes a log of what they left, as the
job's user. It never rejects a job: whatever goes wrong, the job runs without capture.
"""

import os
import subprocess

import pbs

LIBRARY = "@PREFIX@/lib/headrace/libheadrace.so"
COMMAND = "@PREFIX@/bin/headrace"


def records_of(job):
    return "/dev/shm/headrace-job-" + str(job.id)


def owner_of(job):
    import pwd

    return pwd.getpwnam(str(job.euser))


def launch(event):
    if str(event.env.get("HEADRACE", "")) == "off" or not os.access(LIBRARY, os.R_OK):
        return
    user, records = owner_of(event.job), records_of(event.job)
    try:
        os.mkdir(records, 0o700)
        os.chown(records, user.pw_uid, user.pw_gid)
    except FileExistsError:
        if os.path.islink(records) or os.stat(records).st_uid != user.pw_uid:
            return
    preload = [LIBRARY] + [item for item in str(event.env.get("LD_PRELOAD", "")).split(":") if item not in ("", LIBRARY)]
    event.env["LD_PRELOAD"] = ":".join(preload)
    event.env["HEADRACE_SPOOL"] = records


def epilogue(event):
    user, records = owner_of(event.job), records_of(event.job)
    if not os.path.isdir(records) or os.path.islink(records) or os.stat(records).st_uid != user.pw_uid:
        return
    become = ["setpriv", "--reuid=%d" % user.pw_uid, "--regid=%d" % user.pw_gid, "--clear-groups"]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HEADRACE_SPOOL": records}
    if "HEADRACE_CONFIG" in os.environ:
        environment["HEADRACE_CONFIG"] = os.environ["HEADRACE_CONFIG"]
    done = subprocess.call(become + [COMMAND, "collect", "--quiet"], env=environment, cwd="/tmp", timeout=60)
    if done == 0:
        subprocess.call(become + ["rmdir", records], env=environment)


event = pbs.event()
try:
    if event.type == pbs.EXECJOB_LAUNCH:
        launch(event)
    elif event.type == pbs.EXECJOB_EPILOGUE:
        epilogue(event)
except Exception as error:  # a hook that fails would take the job with it
    pbs.logmsg(pbs.LOG_WARNING, "headrace: %s" % error)
event.accept()

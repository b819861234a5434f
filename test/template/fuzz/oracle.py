"""Renders templates with Jinja2's sandbox: one JSON request a line in, one JSON answer a line out.

The clock and the memory of a template are bounded by the parent, which ends this process when an answer is late.
"""
import json
import resource
import signal
import sys

from jinja2.sandbox import SandboxedEnvironment

resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


class Late(BaseException):
    pass


def late(*_):
    raise Late()


signal.signal(signal.SIGALRM, late)


def answer(request):
    environment = SandboxedEnvironment(**request.get("env", {}))
    try:
        signal.setitimer(signal.ITIMER_REAL, 2)
        template = environment.from_string(request["template"])
        output = template.render(json.loads(request["context"]))
        # What cannot be sent could not be compared either.
        output.encode("utf-8")
        return {"output": output}
    except Late:
        return {"error": "Late", "message": ""}
    except BaseException as error:  # noqa: B902
        return {"error": type(error).__name__, "message": str(error)[:300]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)

"""Renders a template for each context with Jinja2's sandbox, and prints the renderings per second."""
import json
import sys
import time

from jinja2.sandbox import SandboxedEnvironment

job = json.load(sys.stdin)
template = SandboxedEnvironment().from_string(job["template"])
began = time.perf_counter()
chars = sum(len(template.render(json.loads(context))) for context in job["contexts"])
print(json.dumps({"seconds": time.perf_counter() - began, "chars": chars}))

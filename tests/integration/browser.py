"""A headless Chromium, driven by chromedriver's WebDriver protocol: plain HTTP with JSON."""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

from harness import DEADLINE

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
             "--hide-scrollbars"]


class Browser:
    """One browser with an empty profile. close() ends both processes."""

    def __init__(self, width=1280, height=900):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-browser."))
        self.session = None
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True,
                                       stderr=subprocess.DEVNULL)
        try:
            self.base = f"http://127.0.0.1:{self.port()}"
            options = {"args": [*ARGUMENTS, f"--user-data-dir={self.directory}", f"--window-size={width},{height}"]}
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self.session = answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def port(self):
        """Where chromedriver says that it listens."""
        for line in self.driver.stdout:
            match = re.search(r"started successfully on port (\d+)", line)
            if match:
                return int(match[1])
        raise AssertionError("chromedriver did not start")

    def call(self, method, path, value=None):
        body = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self.base + path, body, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=DEADLINE) as answer:
            return json.load(answer)["value"]

    def ask(self, method, path, value=None):
        return self.call(method, f"/session/{self.session}{path}", value)

    def go(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """What the script returns; `arguments` are its arguments."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        """The text of the first such element, as it is laid out."""
        return self.run("return document.querySelector(arguments[0])?.innerText ?? null", selector)

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def prefer(self, **features):
        """Sets media features: prefer(color_scheme="dark", reduced_motion="reduce")."""
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-" + name.replace("_", "-"), "value": value} for name, value in features.items()])

    def resize(self, width, height, mobile=False):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=mobile)

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.devtools("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                          windowsVirtualKeyCode={"ArrowLeft": 37, "ArrowRight": 39, "Tab": 9, "Escape": 27}[key])

    def console(self):
        """What was logged since the last call: [(level, text)]."""
        return [(entry["level"], entry["message"]) for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def requested(self):
        """Every URL that was asked for since the last call."""
        urls = []
        for entry in self.ask("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return urls

    def screenshot(self, path, width, height, top=0):
        """That part of the page, in its own pixels, seen or not."""
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        if self.session is not None:
            self.ask("DELETE", "")
        self.driver.terminate()
        self.driver.wait(DEADLINE)
        self.driver.stdout.close()
        for _ in range(50):  # the browser may still be writing its profile
            shutil.rmtree(self.directory, ignore_errors=True)
            if not self.directory.exists():
                return
            time.sleep(0.02)

"""Aim: a daemon reaches Redis by TLS as the README says: who is not whom the settings expect gets no request, what stands
in the way is in the log, and files that are rotated are taken over without a restart.

Method: real redis-servers with a TLS port, real daemons, and certificates of authorities that the tests make with the
openssl command.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile

from fleet import ask, info, rule
from harness import BUILD, DEADLINE, DaemonTest, run, until
from redis_server import RedisServer, free_port

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
DENIES = rule("user", "5/hour", "fixed_window", on_store_failure="deny")
ALLOWS = rule("path", "5/hour", "fixed_window", on_store_failure="allow")


class Authority:
    """Signs certificates; all files are in a directory of its own."""

    KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")

    def __init__(self, name="ca"):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-tls."))
        self.key, self.file = self.path("ca.key"), self.path("ca.pem")
        self.openssl("req", "-x509", *self.KEY, "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.file)

    def path(self, name):
        return self.directory / name

    @staticmethod
    def openssl(*words):
        made = run("openssl", *words)
        assert made.returncode == 0, made.stderr

    def sign(self, name, names="", days=2):
        """The files of a certificate and its key. `names` as in "DNS:localhost,IP:127.0.0.1"; it has expired when the
        days are negative."""
        key, wish, cert = (self.path(f"{name}.{kind}") for kind in ("key", "csr", "pem"))
        options = ("-addext", f"subjectAltName={names}") if names else ()
        self.openssl("req", *self.KEY, "-subj", f"/CN={name}", "-keyout", key, "-out", wish, *options)
        self.openssl("x509", "-req", "-in", wish, "-CA", self.file, "-CAkey", self.key, "-days", days,
                     "-copy_extensions", "copy", "-out", cert)
        return cert, key

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)


class TlsRedis(RedisServer):
    """Its TCP port speaks TLS; the Unix socket is for the test. `certificate` are two files, `clients` the authority
    that clients need a certificate of, if they need one."""

    def __init__(self, certificate, clients=None):
        super().__init__(tcp=True)
        self.certificate = certificate
        self.clients = clients

    def launch(self):
        cert, key = self.certificate
        self.options = ["--port", "0", "--tls-port", str(self.port), "--tls-cert-file", str(cert),
                        "--tls-key-file", str(key), "--tls-ca-cert-file", str(self.clients or cert),
                        "--tls-auth-clients", "yes" if self.clients else "no"]
        super().launch()


def replace(path, source):
    """In one step, as who rotates certificates should."""
    new = path.with_suffix(".new")
    shutil.copy(source, new)
    new.rename(path)


class TlsSentinel:
    """Watches one master, "limits". Who asks must be the user "watcher" with the rights that the README names, and with
    TLS."""

    def __init__(self, authority, master, watched):
        cert, key = authority.sign("sentinel", "DNS:localhost")
        self.directory = authority.directory
        self.lines = [
            f"dir {self.directory}", "logfile sentinel.log", "bind 127.0.0.1", "port 0", f"tls-cert-file {cert}",
            f"tls-key-file {key}", f"tls-ca-cert-file {master.file}", "tls-auth-clients no", "tls-replication yes",
            "user default off", "user watcher " + rights_of("sluice-sentinel").replace("PASSWORD", "sentinel-word"),
            f"sentinel monitor limits 127.0.0.1 {watched.port} 1"]
        self.port = 0
        self.process = None

    def start(self):
        self.port = free_port()
        config = self.directory / "sentinel.conf"
        config.write_text("\n".join([*self.lines, f"tls-port {self.port}"]) + "\n", encoding="utf-8")
        self.process = subprocess.Popen(["redis-server", str(config), "--sentinel"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def remove(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait(DEADLINE)


def rights_of(user):
    """What the README gives this user in Redis."""
    return re.search(rf"^user {user} (on .*)$", README.read_text(encoding="utf-8"), re.MULTILINE)[1]


class Tls(DaemonTest):
    def authority(self, name="ca"):
        authority = Authority(name)
        self.addCleanup(authority.remove)
        return authority

    def redis(self, authority, names="DNS:localhost,IP:127.0.0.1", days=2, **options):
        server = TlsRedis(authority.sign("server", names, days), **options)
        self.addCleanup(server.remove)
        return server.start()

    def connecting(self, server, host="localhost", more="", **tls):
        lines = "".join(f'{name} = "{value}"\n' for name, value in tls.items())
        return self.daemon(DENIES + ALLOWS, before=f'''
[store]
kind = "redis"
[store.redis]
shards = ["{host}:{server.port}"]
{more}
[store.redis.tls]
{lines}
''')

    def serving(self, daemon):
        until(lambda: info(daemon)["store_serving"] == "1", "the daemon has its store")
        return daemon

    def refused(self, daemon, reason):
        """Nothing reaches the store, for this reason, and the rules' own policies answer."""
        daemon.logged("store cannot be reached.*" + reason)
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[0], 0)
        self.assertEqual(ask(daemon, "CHECK", "path=1", "path")[0], 1)
        self.assertEqual(info(daemon)["store_serving"], "0")
        self.assertGreater(int(info(daemon)["store_connects_failed"]), 0)

    def test_by_name_and_by_address(self):
        authority = self.authority()
        server = self.redis(authority)
        for left, host in ((4, "localhost"), (3, "127.0.0.1")):
            daemon = self.serving(self.connecting(server, host, ca=authority.file))
            self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[:3], [1, 5, left])
        clients = server.client.client_list()
        self.assertTrue(any(client["addr"].startswith("127.0.0.1:") for client in clients), clients)

    def test_an_authority_that_is_not_trusted(self):
        other = self.authority("other")
        daemon = self.connecting(self.redis(self.authority()), ca=other.file)
        self.refused(daemon, f"signed by an authority that {other.file} does not contain")
        self.refused(self.connecting(self.redis(self.authority())),
                     "signed by an authority that the system's list does not contain")

    def test_a_certificate_for_another_name(self):
        authority = self.authority()
        server = self.redis(authority)
        self.refused(self.connecting(server, ca=authority.file, server_name="redis.example"),
                     r"certificate of localhost:\d+ is not valid for .{1,2}redis.example.*hostname mismatch")
        self.refused(self.connecting(self.redis(authority, "DNS:localhost"), "127.0.0.1", ca=authority.file),
                     r"is not valid for .{1,2}127.0.0.1.*IP address mismatch")
        server = self.redis(authority, "DNS:redis.example")
        self.serving(self.connecting(server, ca=authority.file, server_name="redis.example"))

    def test_a_certificate_that_has_expired(self):
        authority = self.authority()
        self.refused(self.connecting(self.redis(authority, days=-1), ca=authority.file),
                     r"certificate of localhost:\d+, or of its authority, has expired")

    def test_a_server_that_speaks_plain_text(self):
        server = RedisServer(tcp=True)
        self.addCleanup(server.remove)
        # Redis takes the client's greeting for the beginning of a line, and waits for its end; if a byte of it happens to
        # be one, it answers.
        self.refused(self.connecting(server.start(), ca=self.authority().file, more='connect_timeout = "200ms"'),
                     "(no connection within 200ms|does not speak TLS there|closed the connection)")

    def test_a_server_that_wants_a_certificate(self):
        authority = self.authority()
        server = self.redis(authority, clients=authority.file)
        self.refused(self.connecting(server, ca=authority.file), "wants a client certificate")
        cert, key = authority.sign("client")
        self.serving(self.connecting(server, ca=authority.file, cert=cert, key=key))
        cert, key = self.authority("other").sign("client")
        self.refused(self.connecting(server, ca=authority.file, cert=cert, key=key),
                     "refuses our client certificate")

    def test_files_that_are_not_there_or_do_not_fit(self):
        authority = self.authority()
        server = self.redis(authority)
        cert, _ = authority.sign("one")
        _, key = authority.sign("two")
        for section, tls, expected in (
                ("tls", f'ca = "{authority.path("none")}"', "none cannot be read as certificates of authorities"),
                ("tls", f'cert = "{cert}"\nkey = "{key}"', "cannot be used as the private key of"),
                ("tls", f'cert = "{cert}"', "needs key: a certificate of our own takes both files")):
            daemon = self.daemon(DENIES, start=False, before=f'''
[store]
kind = "redis"
[store.redis]
shards = ["localhost:{server.port}"]
[store.redis.{section}]
{tls}
''')
            ended = run(BUILD / "sluiced", "--config", daemon.config)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("store.redis.tls", ended.stderr)
            self.assertIn(expected, ended.stderr)

    def test_certificates_are_rotated(self):
        old, new = self.authority("old"), self.authority("new")
        server = self.redis(old, clients=old.file)
        mine = self.authority("unused").directory  # where the daemon's files are
        ca, cert, key = mine / "my-ca.pem", mine / "my.pem", mine / "my.key"
        for source, path in zip((old.file, *old.sign("client")), (ca, cert, key)):
            replace(path, source)
        daemon = self.serving(self.connecting(server, ca=ca, cert=cert, key=key))

        server.certificate = new.sign("server", "DNS:localhost")
        server.clients = new.file
        server.restart()
        self.refused(daemon, "signed by an authority that .*my-ca.pem does not contain")
        for source, path in zip((new.file, *new.sign("client")), (ca, cert, key)):
            replace(path, source)
        daemon.logged("TLS files read again")
        self.serving(daemon)
        self.assertEqual(ask(daemon, "CHECK", "user=2", "user")[0], 1)

        ca.write_text("half a certifi", encoding="utf-8")
        daemon.logged("TLS files are of no use, the old ones stay")
        server.restart()
        self.serving(daemon)

    def test_the_password_is_rotated(self):
        authority = self.authority()
        server = self.redis(authority)
        server.command("ACL", "SETUSER", "sluice", *rights_of("sluice").replace("PASSWORD", "first-word").split())
        password = authority.path("password")
        password.write_text("first-word\n", encoding="utf-8")
        daemon = self.serving(self.connecting(
            server, ca=authority.file, more=f'username = "sluice"\npassword_file = "{password}"'))

        server.command("ACL", "SETUSER", "sluice", "resetpass", ">second-word")
        server.command("CLIENT", "KILL", "USER", "sluice")
        daemon.logged("store cannot be reached.*WRONGPASS")
        password.write_text("\n", encoding="utf-8")
        daemon.logged("password file is of no use, the old password stays.*is empty")
        source = authority.path("next")
        source.write_text("second-word\n", encoding="utf-8")
        replace(password, source)
        daemon.logged("password file read again.*store.redis.password_file")
        self.serving(daemon)
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[0], 1)
        for secret in ("first-word", "second-word"):
            self.assertNotIn(secret, daemon.log())

    def test_sentinels_have_users_passwords_and_certificates_of_their_own(self):
        data, watching = self.authority("data"), self.authority("watching")
        server = self.redis(data)
        server.command("ACL", "SETUSER", "sluice", *rights_of("sluice").replace("PASSWORD", "data-word").split())
        sentinel = TlsSentinel(watching, data, server)
        self.addCleanup(sentinel.remove)
        sentinel.start()
        for name, word in (("data", "data-word"), ("sentinel", "sentinel-word")):
            data.path(name).write_text(word + "\n", encoding="utf-8")
        daemon = self.serving(self.daemon(DENIES, before=f'''
[store]
kind = "redis"
[store.redis]
topology = "sentinel"
shards = ["limits"]
sentinels = ["localhost:{sentinel.port}"]
username = "sluice"
password_file = "{data.path("data")}"
[store.redis.tls]
ca = "{data.file}"
[store.redis.sentinel_auth]
username = "watcher"
password_file = "{data.path("sentinel")}"
[store.redis.sentinel_tls]
ca = "{watching.file}"
'''))
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[:3], [1, 5, 4])
        self.assertRegex(info(daemon)["shard_0"], rf"^name=limits,serving=1,master=127.0.0.1:{server.port},")

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperationsServer } from '#libs/service-kit';
import { until } from '#libs/testing';
import { type RunnerWorld, startRunner, toolOf } from '../testing/runner-world.js';

/** Bypasses the import list, which is only a convenience: every module is two attributes away. */
const anyModule = 'import json\nload = json.codecs.builtins.__import__\n';
/** Runs JavaScript through the one function of it that Python holds. */
const javascript = `${anyModule}js = load("gatehouse_sandbox.host").host._ask\n`;
const secretOfThisProcess = 'GATEHOUSE_TEST_SECRET';

let runner: RunnerWorld;
let outside: Server;
let port: number;
let reached = 0;

beforeAll(async () => {
  process.env[secretOfThisProcess] = 'canary-7f3a';
  outside = createServer((_request, response) => response.end('reached'));
  outside.on('connection', () => (reached += 1));
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  port = (outside.address() as AddressInfo).port;
  runner = await startRunner({ PYTHON_CHILDREN: 2 });
});

afterAll(async () => {
  await runner.close();
  await new Promise((resolve) => outside.close(resolve));
  delete process.env[secretOfThisProcess];
});

afterEach(async () => {
  expect(await runner.run(toolOf('return "still here"'))).toMatchObject({ result: 'still here' });
});

const attempt = (before: string, body: string, timeout_ms = 80_000) =>
  runner.run(`${before}${toolOf(body)}`, { timeout_ms });

describe('from the sandbox, a tool does not reach', () => {
  it('the environment', async () => {
    const answer = await attempt(anyModule, 'return dict(load("os").environ)');
    expect(answer).toMatchObject({ ok: true });
    expect(JSON.stringify(answer)).not.toMatch(/canary|GATEHOUSE|node_modules|tmp/);
  });

  it.each([
    ['a list of', 'return load("os").listdir("/etc")'],
    ['text of', 'return json.codecs.builtins.open("/etc/passwd").read()'],
    ['the own source of', `return json.codecs.builtins.open("${import.meta.filename}").read()`],
    ['another way to', 'fs = load("pyodide_js").FS\nreturn fs.mount(fs.filesystems.NODEFS, {"root": "/"}, "/mnt")'],
  ])('%s files of the host', async (_title, body) => {
    expect(await attempt(anyModule, body)).toMatchObject({ ok: false, error: 'exception' });
  });

  it.each([
    ['os.system', 'return load("os").system("true")', 'crashed'],
    ['os.popen', 'return load("os").popen("true").read()', 'exception'],
    ['subprocess', 'return load("subprocess").run(["true"])', 'exception'],
    ['os.fork', 'return load("os").fork()', 'exception'],
    ['os.execv', 'return load("os").execv("/bin/true", ["true"])', 'exception'],
    ['a thread', 'load("threading").Thread(target=print).start()', 'exception'],
    ['kill of the parent', 'return load("os").kill(load("os").getppid(), 9)', 'exception'],
  ])('other processes: %s', async (_title, body, error) => {
    expect(await attempt(anyModule, body)).toMatchObject({ ok: false, error });
  });

  it.each([
    [
      'sockets',
      's = load("socket").create_connection(("127.0.0.1", PORT), 2)\nreturn s.send(b"GET / HTTP/1.0\\r\\n\\r\\n")',
    ],
    [
      'urllib',
      'load("urllib.request")\nimport urllib.parse\nreturn urllib.request.urlopen("http://127.0.0.1:PORT").status',
    ],
    [
      'http.client',
      'load("http.client")\nc = load("http").client.HTTPConnection("127.0.0.1", PORT)\nc.request("GET", "/")',
    ],
    ['pyodide', 'load("pyodide.http")\nreturn load("pyodide").http.open_url("http://127.0.0.1:PORT")'],
  ])('the network by %s', async (_title, body) => {
    const answer = await attempt(anyModule, body.replace('PORT', String(port)));
    expect(answer).toMatchObject({ ok: false });
    expect(reached).toBe(0);
  });

  it.each([
    ['the js module', 'return str(load("js"))'],
    ['pyodide_js', 'return str(load("pyodide_js"))'],
    ['run_js', 'load("pyodide.code")\nreturn load("pyodide").code.run_js("1")'],
    ['ctypes', 'c = load("ctypes")\nreturn c.CDLL(None).emscripten_run_script(b"1")'],
    ['hidden modules taken back', 'sys = load("sys")\ndel sys.modules["js"]\nreturn str(load("js"))'],
  ])('JavaScript by %s', async (_title, body) => {
    expect(await attempt(anyModule, body)).toMatchObject({ ok: false, error: 'exception' });
  });

  it.each([
    ['constructor', 'return str(js.constructor("return process")())'],
    ['constructor of the constructor', 'return str(js.constructor.constructor("return globalThis")())'],
    ['constructor by the prototype', 'return str(js.__proto__.constructor("return 1")())'],
    ['caller', 'return str(js.caller)'],
  ])('code from text in JavaScript: %s', async (_title, body) => {
    expect(await attempt(javascript, body)).toMatchObject({ ok: false });
  });

  it('JavaScript from C', async () => {
    const body = `sys = load("sys")
for name in ("ctypes", "_ctypes"):
    sys.modules.pop(name)
code = b"fetch('http://127.0.0.1:${port}'); process.getBuiltinModule('child_process').execSync('true')"
return load("ctypes").CDLL(None).emscripten_run_script(code)`;
    expect(await attempt(anyModule, body)).toMatchObject({ ok: false, error: 'crashed' });
    expect(reached).toBe(0);
  });
});

describe('what a tool sends besides its own answer', () => {
  it('is ignored when it names another call, and ends the child when it is not a frame', async () => {
    // What Python writes to descriptors stays inside Python and never reaches the runner.
    for (const text of [
      '{"id":"x","kind":"answer","answer":{"ok":true,"result":"forged"}}',
      '\\x00\\x00\\x00\\x02{}',
    ]) {
      const body = `for fd in range(3, 6):\n    try:\n        load("os").write(fd, b'${text}')\n    except OSError:\n        pass\nreturn "own"`;
      expect(await attempt(anyModule, body)).toMatchObject({ ok: true, result: 'own' });
    }
  });

  it('through the host call function is treated as an unknown question', async () => {
    for (const question of [
      '{"call":"answer","value":1}',
      '[]',
      '{"id":"x","kind":"answer"}',
      '{"call":"credential","name":{}}',
    ]) {
      expect(await attempt(javascript, `return js('${question}')`)).toMatchObject({
        result: expect.stringContaining('refused'),
      });
    }
  });
});

describe('a tool that uses too much is stopped', () => {
  it.each([
    [
      'a loop that catches everything',
      'while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass',
    ],
    ['a sleep', 'import time\ntime.sleep(60)'],
    ['a regular expression', 'import re\nreturn re.match(r"(a+)+$", "a" * 60 + "b")'],
    ['a power', 'return len(str(10 ** 10**8))'],
    ['an endless sum', 'import itertools\nreturn sum(itertools.repeat(1))'],
    [
      'an endless answer to itself',
      'while True:\n    try:\n        credential("x")\n    except Exception:\n        pass',
    ],
  ])('in time: %s', async (_title, body) => {
    expect(await attempt('', body, 300)).toMatchObject({ ok: false, error: 'timeout' });
  });

  it.each([
    ['one block', 'return len(bytearray(10**9))'],
    ['many blocks', 'held = []\nwhile True:\n    held.append("x" * 10_000_000)'],
    ['a list that doubles', 'held = [0]\nwhile True:\n    held += held'],
    [
      'many blocks, caught',
      'held = []\nwhile True:\n    try:\n        held.append("x" * 1_000_000)\n    except MemoryError:\n        raise',
    ],
  ])('in memory: %s', async (_title, body) => {
    expect(await attempt('', body)).toMatchObject({ ok: false, error: 'memory' });
  });

  it.each([
    ['in Python', 'def down(n):\n    return down(n + 1)\nreturn down(0)', 'exception'],
    [
      'past the limit',
      'load("sys").setrecursionlimit(10**9)\ndef down(n):\n    return down(n + 1)\nreturn down(0)',
      'crashed',
    ],
    ['in C', 'a = []\nfor _ in range(10**6):\n    a = [a]\nreturn repr(a)', 'exception'],
    ['in the answer', 'a = []\nfor _ in range(10**5):\n    a = [a]\nreturn a', 'exception'],
  ])('in depth: %s', async (_title, body, error) => {
    const answer = await attempt(anyModule, body);
    expect(answer).toMatchObject({ ok: false });
    expect([error, 'crashed', 'invalid_result']).toContain('error' in answer ? answer.error : null);
  });

  it('in output: ten megabytes in one line and in many', async () => {
    for (const body of ['print("x" * 10_000_000)', 'for _ in range(1_000_000):\n    print("xxxxxxxxx")']) {
      expect(await attempt('', body)).toMatchObject({
        ok: true,
        truncated: true,
        stdout: expect.stringMatching(/^x{9}/),
      });
    }
    expect(await attempt('', 'return "x" * 10_000_000')).toMatchObject({ ok: false, error: 'invalid_result' });
    expect(await attempt('', 'raise ValueError("x" * 10_000_000)')).toMatchObject({ error: 'exception' });
  });

  it('by ending itself', async () => {
    expect(await attempt('', 'raise SystemExit')).toMatchObject({ error: 'exception' });
    expect(await attempt(anyModule, 'load("os")._exit(3)')).toMatchObject({ ok: false });
    expect(await attempt(anyModule, 'load("os").abort()')).toMatchObject({ ok: false });
  });
});

it('no child is left behind that still runs', async () => {
  await attempt('', 'while True: pass', 300);
  await until('only warm children are there', async () => {
    const { body } = await runner.app.get(OperationsServer).http.inject('/metrics');
    const children = Number(/^gatehouse_python_children\{.*\} (\d+)$/m.exec(body)?.[1]);
    return children >= 1 && children <= 2;
  });
});

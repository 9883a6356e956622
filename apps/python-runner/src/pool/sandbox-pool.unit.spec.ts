import type { PythonRunAnswer } from '#libs/contracts';
import { OperationsServer } from '#libs/service-kit';
import { until } from '#libs/testing';
import { runOf, type RunnerWorld, startRunner, toolOf } from '../testing/runner-world.js';

let runner: RunnerWorld;

/** Python takes seconds to start, and longer on a busy machine. */

afterEach(() => runner.close());

/** Marks the interpreter, and returns the mark that it found. */
const marking = `import json\n${toolOf(
  'found = getattr(json, "mark", None)\njson.mark = mark\nreturn found',
  'mark: str',
)}`;

const mark = async (organization: string, value: string, project = 'prj_a', source = marking): Promise<unknown> => {
  const answer = await runner.run(source, { organization_id: organization, arguments: { mark: value } }, project);
  return answer.ok ? answer.result : answer;
};

/** Another source that does the same. */
const otherMarking = `${marking}\n# another tool\n`;

const randomOf = (answer: PythonRunAnswer): unknown =>
  answer.ok ? (answer.result as { random: number }).random : answer;

const operations = () => runner.app.get(OperationsServer).http;

const metric = async (name: string): Promise<number> => {
  const { body } = await operations().inject('/metrics');
  return Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'm').exec(body)?.[1]);
};

it('is ready once a child is warm, and needs no database for that', async () => {
  runner = await startRunner();
  const ready = () => runner.app.inject({ method: 'GET', url: '/health/ready' });
  const reason = (await operations().inject('/health/ready')).json();
  expect(reason).toEqual({ status: 'not_ready', reason: 'no sandbox has started yet' });
  expect((await ready()).json()).toEqual({ status: 'not_ready' });
  await until('it is ready', async () => ((await ready()).statusCode === 200 ? true : null));
  expect(await metric('gatehouse_python_children')).toBe(1);
});

it('a child serves one source of one project, and every other source gets another child', async () => {
  runner = await startRunner({ PYTHON_CHILDREN: 2 });
  expect(await mark('org_a', 'a')).toBeNull();
  expect(await mark('org_a', 'again')).toBe('a');
  expect(await mark('org_a', 'b', 'prj_b')).toBeNull();
  expect(await mark('org_a', 'again', 'prj_b')).toBe('b');
  // There is room for two, so the third one's child replaces the least recently used.
  expect(await mark('org_a', 'c', 'prj_b', otherMarking)).toBeNull();
  expect(await mark('org_b', 'd')).toBeNull();
  expect(await mark('org_a', 'again', 'prj_b', otherMarking)).toBe('c');
  expect(await metric('gatehouse_python_children')).toBe(2);
});

describe('what a tool leaves behind reaches no other tool and no other project', () => {
  const unlocked = 'import json\nload = json.codecs.builtins.__import__\n';
  const spoil = `${unlocked}${toolOf(
    `sys = load("sys")
host = load("gatehouse_sandbox.host").host
host._answer = lambda question: {"token": "stolen"}
sys.modules["planted"] = json
json.JSONDecoder.spoilt = True
json.codecs.builtins.planted = 7
with json.codecs.builtins.open("/tmp/planted", "w") as file:
    file.write("planted")
load("atexit").register(print)
return "done"`,
  )}`;
  const look = `${unlocked}${toolOf(
    `import random
sys = load("sys")
found = {"module": "planted" in sys.modules, "builtin": hasattr(json.codecs.builtins, "planted")}
found["class"] = hasattr(json.JSONDecoder, "spoilt")
found["files"] = load("os").listdir("/tmp")
found["threads"] = load("threading").active_count()
found["token"] = credential("shop")["token"]
found["random"] = random.random()
return found`,
  )}`;

  it.each([
    ['another tool of its project', 'prj_a'],
    ['a tool of another project', 'prj_b'],
  ])('%s', async (_title, project) => {
    runner = await startRunner();
    expect(await runner.run(spoil)).toMatchObject({ result: 'done' });
    const clean = { module: false, builtin: false, class: false, files: [], threads: 1, token: 'real' };
    const more = { credentials: { shop: { token: 'real' } } };
    const found = await runner.run(look, more, project);
    expect(found).toMatchObject({ ok: true, result: clean });
    // Children start from one memory snapshot. Their random numbers must differ nevertheless.
    expect(await runner.run(`${look}\n`, more, project)).not.toMatchObject({
      result: { random: randomOf(found) },
    });
  });
});

it('a child is replaced after its number of calls, and after a call that broke it', async () => {
  runner = await startRunner({ PYTHON_CALLS_PER_CHILD: 2 });
  expect([await mark('org_a', '1'), await mark('org_a', '2'), await mark('org_a', '3')]).toEqual([null, '1', null]);
  expect(await runner.run(toolOf('while True: pass'), { timeout_ms: 200 })).toMatchObject({ error: 'timeout' });
  expect(await mark('org_a', '4')).toBeNull();
});

it('an idle child is replaced by an unused one', async () => {
  runner = await startRunner({ PYTHON_IDLE_MS: 1_000 });
  expect(await mark('org_a', 'a')).toBeNull();
  await until('the used child is gone', async () => ((await metric('gatehouse_python_children')) === 0 ? true : null));
  expect(await mark('org_a', 'b')).toBeNull();
});

it('keeps no child ready while nobody calls, and one again once somebody does', async () => {
  runner = await startRunner({ PYTHON_CHILDREN: 2, PYTHON_IDLE_MS: 1_000 });
  const ready = () => runner.app.inject({ method: 'GET', url: '/health/ready' });
  await until('the first was warm', async () => ((await ready()).statusCode === 200 ? true : null));
  await until('it is gone', async () => ((await metric('gatehouse_python_children')) === 0 ? true : null));
  expect((await ready()).statusCode).toBe(200);
  expect(await mark('org_a', 'a')).toBeNull();
  await until('its own and a spare are there', async () =>
    (await metric('gatehouse_python_children')) === 2 ? true : null,
  );
  await until('both are gone', async () => ((await metric('gatehouse_python_children')) === 0 ? true : null));
});

it('one organization cannot take every child, and a call that finds no room in the queue is asked to retry', async () => {
  runner = await startRunner({ PYTHON_CHILDREN: 2, PYTHON_WAITING_CALLS: 1 });
  const slow = runner.run(toolOf('import time\ntime.sleep(60)'), { timeout_ms: 20_000 });
  await until('the slow call runs', async () => ((await metric('gatehouse_python_busy')) === 1 ? true : null));
  const waits = runner.run(toolOf('return 2'));
  await until('the next one waits', async () => ((await metric('gatehouse_python_waiting')) === 1 ? true : null));
  expect(await runner.post('/internal/run', runOf(toolOf('return 3')))).toMatchObject({
    status: 503,
    body: { code: 'runner_busy' },
  });
  expect(await slow).toMatchObject({ error: 'timeout' });
  expect(await waits).toMatchObject({ result: 2 });
});

it('another organization overtakes calls that wait for a child of their own', async () => {
  runner = await startRunner({ PYTHON_CHILDREN: 2 });
  const slow = runner.run(toolOf('import time\ntime.sleep(60)'), { timeout_ms: 20_000 });
  await until('the slow call runs', async () => ((await metric('gatehouse_python_busy')) === 1 ? true : null));
  const refused = expect(runner.run(toolOf('return 2'))).rejects.toThrow(/runner_busy/);
  expect(await mark('org_b', 'b')).toBeNull();
  expect(await metric('gatehouse_python_waiting')).toBe(1);
  await runner.app.close();
  expect(await slow).toMatchObject({ error: 'crashed' });
  await refused;
});

it('a call before the first child is warm is informed that the sandbox is starting', async () => {
  runner = await startRunner({ PYTHON_WAIT_MS: 100 });
  const { status, body } = await runner.post('/internal/run', runOf(toolOf('return 1')));
  expect([status, body['code']]).toEqual([503, 'sandbox_starting']);
  await until('it runs', async () => (await runner.post('/internal/run', runOf(toolOf('return 1')))).status === 200);
});

it('a call that waits too long is asked to retry', async () => {
  runner = await startRunner({ PYTHON_WAIT_MS: 100 });
  await until('a child is warm', async () => ((await metric('gatehouse_python_children')) === 1 ? true : null));
  const slow = runner.run(toolOf('import time\ntime.sleep(60)'), { timeout_ms: 15_000 });
  await until('a call is refused', async () => {
    const { status } = await runner.post('/internal/run', runOf(toolOf('return 2')));
    return status === 503 ? true : null;
  });
  expect(await slow).toMatchObject({ error: 'timeout' });
});

it('a call that finds no child because none starts gets the reason', async () => {
  runner = await startRunner({ PYTHON_START_MS: 1, PYTHON_WAIT_MS: 100 });
  await until('a start has failed', async () => {
    const { body } = await runner.post('/internal/run', runOf(toolOf('return 1')));
    return body['code'] === 'sandbox_unavailable' ? true : null;
  });
  const { body } = await runner.post('/internal/run', runOf(toolOf('return 1')));
  expect(body['detail']).toMatch(/^Python sandboxes do not start: it was not warm after 1 ms \(PYTHON_START_MS\)\./);
  const ready = await operations().inject('/health/ready');
  expect(ready.json().reason).toMatch(/^sandboxes do not start: it was not warm/);
});

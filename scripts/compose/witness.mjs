// What else happened meanwhile: warnings in the logs, containers that ended by themselves, slow stops.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} Event of `docker events`
 * @property {string} action
 * @property {string} service
 * @property {string} container
 * @property {number} at in ms
 * @property {string} [exitCode]
 */

/** A stop that takes longer is slow: an idle service needs none of its grace. */
const SLOW_MS = 10_000;
const WARNING = 40;

/**
 * Lines of the log at warn or above, by service and event. Counted, with the first one's words.
 * @param {{service: string, text: string}[]} lines
 */
export function warningsOf(lines) {
  /** @type {Map<string, {count: number, msg: string}>} */
  const seen = new Map();
  for (const { service, text } of lines) {
    const level = Number(/"level":(\d+)/.exec(text)?.[1] ?? 0);
    if (level < WARNING) continue;
    const [, event] = /"event":"([^"]+)"/.exec(text) ?? [];
    const [, msg = ''] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
    const key = `${service} ${level >= 50 ? 'error' : 'warn'} ${event ?? '(no event)'}`;
    const known = seen.get(key) ?? { count: 0, msg: msg.slice(0, 160) };
    seen.set(key, { ...known, count: known.count + 1 });
  }
  return [...seen]
    .sort(([, one], [, other]) => other.count - one.count)
    .map(([key, { count, msg }]) => `${count} × ${key}: ${msg}`);
}

/** @param {Event[]} events */
export function endingsOf(events) {
  /** @type {Map<string, Event>} */
  const asked = new Map();
  /** @type {string[]} */
  const odd = [];
  for (const event of events) {
    if (event.action === 'kill' && !asked.has(event.container)) asked.set(event.container, event);
    if (event.action === 'oom') odd.push(`${event.service}: out of memory`);
    if (event.action !== 'die') continue;
    const order = asked.get(event.container);
    asked.delete(event.container);
    if (!order && event.exitCode !== '0') odd.push(`${event.service}: ended by itself with ${event.exitCode}`);
    if (order && event.exitCode === '137')
      odd.push(`${event.service}: was killed, ${event.at - order.at} ms after it had to end`);
    else if (order && event.at - order.at > SLOW_MS)
      odd.push(`${event.service}: took ${event.at - order.at} ms to end`);
  }
  return odd;
}

/** Follows a project's containers from now on, also those that are removed later. @param {string} project */
export function watch(project) {
  /** @type {Event[]} */
  const events = [];
  /** @type {{service: string, text: string}[]} */
  const lines = [];
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  /** @param {string[]} args @param {(line: string) => void} each */
  const follow = (args, each) => {
    const child = spawn('docker', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    children.add(child);
    child.once('exit', () => children.delete(child));
    createInterface({ input: child.stdout }).on('line', each);
  };
  const filter = `label=com.docker.compose.project=${project}`;
  follow(['events', '--format', '{{json .}}', '--filter', 'type=container', '--filter', filter], (line) => {
    const { Action, Actor, timeNano } = JSON.parse(line);
    const service = Actor.Attributes['com.docker.compose.service'];
    if (service === 'observer') return;
    const at = Math.round(timeNano / 1e6);
    events.push({ action: Action, service, container: Actor.ID, at, exitCode: Actor.Attributes.exitCode });
    const since = new Date(at - 1).toISOString();
    if (Action === 'start')
      follow(['logs', '--follow', '--since', since, Actor.ID], (text) => lines.push({ service, text }));
  });
  return {
    report: () => ({ warnings: warningsOf(lines), endings: endingsOf(events) }),
    end: () => children.forEach((child) => child.kill()),
  };
}

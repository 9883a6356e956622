import dgram from 'node:dgram';
import dns from 'node:dns';
import { registerHooks } from 'node:module';
import net from 'node:net';

const networkGlobals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'navigator', 'BroadcastChannel'];

const refuse = () => {
  throw new Error('There is no network in here.');
};

/**
 * Removes what JavaScript could reach in spite of the permissions, in case a tool gets hold of JavaScript. Node's
 * permissions do not cover the network: sockets are removed here and, on Linux, by a kernel limit that the runner sets.
 */
export function removeReach() {
  for (const name of networkGlobals) Reflect.deleteProperty(globalThis, name);
  for (const [owner, names] of /** @type {[object, string[]][]} */ ([
    [net.Socket.prototype, ['connect']],
    [net.Server.prototype, ['listen']],
    [net, ['connect', 'createConnection', 'createServer', '_createServerHandle']],
    [dgram.Socket.prototype, ['bind', 'connect', 'send']],
    [dgram, ['createSocket']],
    [dns, ['lookup', 'resolve', 'resolve4', 'resolve6']],
  ])) {
    for (const name of names)
      Object.defineProperty(owner, name, { value: refuse, writable: false, configurable: false });
  }
  // Pyodide reads these at run time. Everything else of `process` (getBuiltinModule, kill, binding) is removed.
  const { platform, arch, version, versions } = process;
  const rest = Object.freeze({ platform, arch, version, versions, argv: [], env: {}, on: () => rest });
  Object.defineProperty(globalThis, 'process', { value: rest, writable: false, configurable: false });
  registerHooks({ resolve: refuse, load: refuse });
}

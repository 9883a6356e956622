// Asks packages of others whether they accept the signed requests that libs/webhook-senders has recorded, and refuse
// them changed. The packages are no dependencies of the project: npm puts these versions into .cache/sender-proofs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm } from './launcher/npm.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';
import { acceptances } from './sender-proofs/acceptances.mjs';

/** @typedef {import('./sender-proofs/acceptances.mjs').Given & { package: string, at: string }} Recorded */

const samples = join(root, 'libs/webhook-senders/src/testing/published');
const folder = join(root, '.cache/sender-proofs');
/** Signs the type and time of an event, not the event. */
const signsPart = new Set(['dropbox-sign']);
const RealDate = Date;

await runScript(async () => {
  const recorded = readdirSync(samples).flatMap((file) => {
    const { payload, proof } = JSON.parse(readFileSync(join(samples, file), 'utf8'));
    if (proof.by !== 'recorded') return [];
    const body = proof.body ?? (typeof payload.body === 'string' ? payload.body : JSON.stringify(payload.body));
    const url = 'https://hooks.example/api/v1/webhooks/token';
    const headers = { 'content-type': 'application/json', ...payload?.headers, ...proof.headers };
    return [{ id: file.replace('.json', ''), given: /** @type {Recorded} */ ({ url, ...proof, body, headers }) }];
  });
  await install(recorded.map(({ given }) => given.package));
  standIns();
  const load = loader();
  console.debug = () => {};
  for (const { id, given } of recorded) {
    const accepts = acceptances[id];
    if (!accepts) throw new Error(`${id}: nothing in scripts/sender-proofs asks ${given.package}`);
    setClock(given.at);
    const asked = async (/** @type {Partial<Recorded>} */ change) => {
      try {
        return Boolean(await accepts({ ...given, ...change }, load));
      } catch (error) {
        if (Object.keys(change).length === 0) throw new Error(`${id}: ${given.package} fails`, { cause: error });
        return false;
      }
    };
    const changed = given.body.replace(/[a-z]/, (letter) => (letter === 'q' ? 'z' : 'q'));
    if (!(await asked({}))) throw new Error(`${id}: ${given.package} refuses what is recorded`);
    if (await asked({ secret: 'another secret of it' })) throw new Error(`${id}: accepted with another secret`);
    if (!signsPart.has(id) && (await asked({ body: changed }))) throw new Error(`${id}: accepted with another body`);
    process.stdout.write(`proofs  ${id}: ${given.package}\n`);
  }
  say(`${recorded.length} recorded requests are accepted by the packages that they name, and by none when changed`);
});

/** @param {string[]} packages such as `crisp-api 11.3.0` */
async function install(packages) {
  const wanted = [...new Set(packages)].map((name) => name.replace(' ', '@')).toSorted();
  const mark = join(folder, 'installed.txt');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted.join('\n')) return;
  mkdirSync(folder, { recursive: true });
  // Only the files of n8n's triggers are asked: its hundreds of dependencies are not installed.
  const n8nPackage = wanted.find((name) => name.startsWith('n8n-nodes-base@'));
  const others = wanted.filter((name) => name !== n8nPackage);
  const overrides = { 'nuxt-webhook-validators': { '@nuxt/kit': 'npm:empty-npm-package@1.0.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await npm(['install', ...quietly, ...others, 'jsonwebtoken@9.0.3'], { cwd: folder, quiet: true });
  if (n8nPackage) {
    const file = (await npm(['pack', '--silent', n8nPackage], { cwd: folder, quiet: true })).trim();
    const into = join(folder, 'node_modules/n8n-nodes-base');
    mkdirSync(into, { recursive: true });
    execFileSync('tar', ['xzf', join(folder, file), '-C', into, '--strip-components=1']);
  }
  writeFileSync(mark, wanted.join('\n'));
}

/** What the frameworks around some packages would give them. */
function standIns() {
  const give = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(join(folder, name), text);
    return pathToFileURL(join(folder, name)).href;
  };
  const nothing = give(
    'nothing.cjs',
    'const any = new Proxy(function () {}, { get: (_, name) => name === "__esModule" ? true : name === "then" ? undefined' +
      ' : typeof name === "symbol" ? () => "" : any, construct: () => any, apply: () => any }); module.exports = any;',
  );
  const nuxt = give(
    'nuxt.mjs',
    'export const useRuntimeConfig = ({ secret }) =>' +
      ' ({ webhook: new Proxy({}, { get: () => ({ secretKey: secret, appSecret: secret }) }) });',
  );
  const h3 = give(
    'h3.mjs',
    'export const getRequestHeaders = ({ headers }) => headers; export const readRawBody = ({ body }) => body;' +
      ' export const createError = (of) => new Error(of.message); export const isError = () => false;' +
      ' export const getRequestURL = ({ url }) => new URL(url); export const getHeader = ({ headers }, name) => headers[name];' +
      ' export class H3Event {}',
  );
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === '#imports') return { url: nuxt, shortCircuit: true };
      if (specifier === 'h3') return { url: h3, shortCircuit: true };
      try {
        return next(specifier, context);
      } catch (error) {
        if (!context.parentURL?.includes('/n8n-nodes-base/')) throw error;
        return { url: nothing, format: 'commonjs', shortCircuit: true };
      }
    },
  });
}

/** @returns {import('./sender-proofs/acceptances.mjs').Load} */
function loader() {
  const require = createRequire(join(folder, 'package.json'));
  return async (name) => {
    try {
      return require(name);
    } catch {
      const path = join(folder, 'node_modules', name);
      return import(existsSync(path) ? pathToFileURL(path).href : import.meta.resolve(name, pathToFileURL(folder)));
    }
  };
}

/** The packages look at the time of a request: a token that ends with its second still counts then. @param {string} at */
function setClock(at) {
  const now = Date.parse(at) - 1_000;
  globalThis.Date = class extends RealDate {
    /** @param {[] | [number | string]} given */
    constructor(...given) {
      super(given[0] ?? now);
    }
    static now() {
      return now;
    }
  };
}

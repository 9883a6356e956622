// Compose files that only the test has, beside those that it tests.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launcher/project.mjs';
import { services } from '../launcher/services.mjs';

/** The name that senders call. Caddy signs the certificate of a name of this ending itself. */
export const DOMAIN = 'gatehouse.localhost';

/**
 * A container that sends and receives (observer.mjs). Its program is its command: a file of this machine may not be one of
 * the engine's. The proxy publishes nothing, since ports may be taken.
 * @param {string} dir @param {boolean} plain
 */
export function writeObserver(dir, plain) {
  const source = readFileSync(join(root, 'scripts/disturbance/observer.mjs'), 'utf8').replaceAll('$', '$$$$');
  const lines = [
    'services:',
    '  observer:',
    '    image: gatehouse/portal',
    '    pull_policy: never',
    '    init: true',
    '    stop_grace_period: 1s',
    "    environment: { PORT: '9000' }",
    `    networks: [default${plain ? '' : ', entrance'}]`,
    `    command: ${JSON.stringify(['node', '--input-type=module', '--eval', source])}`,
  ];
  const proxy = ['  proxy:', '    ports: !reset []', `    networks: { entrance: { aliases: [${DOMAIN}] } }`];
  writeFileSync(join(dir, 'observer.yml'), `${[...lines, ...(plain ? [] : proxy)].join('\n')}\n`);
}

/** Makes the services run the images of a next release. @param {string} dir @param {string} tag */
export function writeRelease(dir, tag) {
  const images = [...services.map(({ name }) => [name, name]), ['database-roles', 'portal'], ['migrate', 'portal']];
  const lines = images.map(([service, image]) => `  ${service}: { image: 'gatehouse/${image}:${tag}' }`);
  writeFileSync(join(dir, 'release.yml'), ['services:', ...lines, ''].join('\n'));
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launcher/project.mjs';
import { camel, filled, pascal } from './names.mjs';

const usage = 'npm run new:job -- report.write engine';
const contracts = 'libs/contracts/src';
const users = 'scripts/launcher/redis-users.mjs';

/**
 * A job of one service, in a queue of its own.
 * @param {import('./draft.mjs').Draft} draft
 * @param {string[]} args
 * @returns {string[]} what is left to do
 */
export function newJob(draft, [job = '', service = '']) {
  const [, noun = '', verb = ''] = /^([a-z]+)\.([a-z]+)$/.exec(job) ?? [];
  if (noun === '') {
    throw new Error(`"${job}" cannot be a job's name: say what it is about and what is done with it, as in ${usage}`);
  }
  const consumers = readdirSync(join(root, 'apps')).filter((name) => consumes(draft, name));
  if (!consumers.includes(service)) {
    throw new Error(
      `"${service}" is no service that takes jobs: name one of ${consumers.join(', ')} after the job, as in ${usage}`,
    );
  }
  const name = `${noun}-${verb}`;
  const contract = `${contracts}/jobs/${name}.ts`;
  const values = { job, noun, name, camel: camel(name), Name: pascal(name) };
  const folder = folderOf(draft, service, noun);
  const handler = `${folder}/${name}.handler`;

  draft.add(contract, filled('job.ts', values));
  const catalogue = `${contracts}/jobs/catalogue.ts`;
  draft.addImport(catalogue, `import { ${values.camel} } from './${name}.js';`);
  draft.change(catalogue, /\n\] as const;/, (end) => `\n  ${values.camel},${end}`);
  draft.change(`${contracts}/index.ts`, /(export \* from '\.\/jobs\/.*';\n)+/, (all) => {
    return `${all}export * from './jobs/${name}.js';\n`;
  });

  draft.add(`apps/${service}/src/${handler}.ts`, filled('job.handler.ts', values));
  addController(draft, service, folder, `${name}.handler`, `${values.Name}Handler`);
  draft.change(`apps/${service}/src/service.ts`, /(\bconsumes: \[[^\]]*)\]/, (_all, queues) => `${queues}, '${name}']`);

  // Each service's Redis queues are listed here, and Compose's Redis users are generated from that list.
  const user = new RegExp(`^( {2}'?${service}'?: \\[[^\\]]*)\\]`, 'm');
  draft.change(users, user, (_all, queues) => `${queues}, '${name}']`);
  const line = new RegExp(`^( +user gatehouse_${service.replaceAll('-', '_')} on .*?) -@all`, 'm');
  draft.change('docker-compose.yml', line, (_all, rules) => `${rules} ~{gatehouse:q:${name}}:* -@all`);

  return [
    `Write what apps/${service}/src/${handler}.ts does; until then each job ends as a dead letter that says so.`,
    `Another service that adds the job has '${name}' in queuesOf (${users}) and in its line of docker-compose.yml too.`,
    'A row that says whether the work is done, and a sweeper over it in the service that adds the job.',
    'Once a service adds it: node scripts/reference.mjs, which npm run check waits for, and the table of docs/security.md.',
    'Installations with Redis users must regenerate their ACL file: say so in CHANGELOG.md.',
  ];
}

/**
 * Registers a controller in its folder's module, which is created if missing.
 * @param {import('./draft.mjs').Draft} draft
 * @param {string} service
 * @param {string} folder
 * @param {string} file
 * @param {string} controller
 */
function addController(draft, service, folder, file, controller) {
  const module = `apps/${service}/src/${folder}/${folder}.module.ts`;
  if (!draft.exists(module)) {
    const name = `${pascal(folder)}Module`;
    draft.add(module, filled('folder.module.ts', { file, controller, name }));
    const root = `apps/${service}/src/app.module.ts`;
    draft.addImport(root, `import { ${name} } from './${folder}/${folder}.module.js';`);
    draft.change(root, /\bimports: \[[^\]]*\bCoreModule\.with\([^)]*\),/, (start) => `${start}\n${name},`);
    return;
  }
  draft.addImport(module, `import { ${controller} } from './${file}.js';`);
  const listed = /\bcontrollers: \[/;
  if (listed.test(draft.read(module))) draft.change(module, listed, (start) => `${start}${controller}, `);
  else draft.change(module, /@Module\(\{/, (start) => `${start}\n  controllers: [${controller}],`);
}

/** @param {import('./draft.mjs').Draft} draft @param {string} service */
function consumes(draft, service) {
  const file = `apps/${service}/src/service.ts`;
  return draft.exists(file) && /\bconsumes: \[/.test(draft.read(file));
}

/**
 * The folder of the job's noun: an existing one, or its plural.
 * @param {import('./draft.mjs').Draft} draft
 * @param {string} service
 * @param {string} noun
 */
function folderOf(draft, service, noun) {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return [plural, noun].find((folder) => draft.exists(`apps/${service}/src/${folder}`)) ?? plural;
}

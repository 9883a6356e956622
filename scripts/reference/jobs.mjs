// Jobs: queue, ids, attempts and payload of each contract, and which service adds and handles it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../launcher/fingerprint.mjs';
import { root } from '../launcher/project.mjs';
import { below, commentOf, constantOf, head, row, sourceOf, ts } from './sources.mjs';

const contracts = 'libs/contracts/src/jobs';

/** @returns {string} the page */
export function jobsPage() {
  const apps = appSources();
  const jobs = readdirSync(join(root, contracts))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => jobsOf(`${contracts}/${file}`))
    .map((job) => ({ ...job, ...whoseJob(job, apps) }))
    .sort((a, b) => rank(a.name) - rank(b.name));
  return [
    '# Jobs',
    '',
    'A job names a row and carries what is small: the row is the truth, the job says that there is work.',
    `Contracts: [${contracts}](../../${contracts}). How they are retried: [architecture](../architecture.md#jobs).`,
    '',
    'Backoff is exponential with full jitter, from the base to the cap. `lane`: a project that sends over its share',
    'waits in a lane of its own beside the queue ([why](../decisions/0126-projects-have-a-share.md)). `split`: `QUEUE_SHARDS` splits the',
    'queue by project ([how](../scale.md#shards-of-a-queue)).',
    '',
    head('Job', 'Queue', 'From', 'To', 'Attempts', 'Backoff', 'Lane', 'Split'),
    ...jobs.map((job) =>
      row(
        `\`${job.name}\``,
        `\`${job.queue}\``,
        job.from.join(', '),
        job.to.join(', '),
        String(job.attempts),
        `${time(job.baseMs)} to ${time(job.capMs)}`,
        job.hasSurplus ? 'yes' : '',
        job.isSharded ? 'yes' : '',
      ),
    ),
    '',
    ...jobs.flatMap((job) => [
      `## ${job.name}`,
      '',
      job.comment,
      '',
      `Contract: [${job.file}](../../${contracts}/${job.file}). Id: \`${job.id}\`.`,
      '',
      head('Field', 'Type', 'Is'),
      ...job.fields.map(({ name, type, optional, comment }) =>
        row(`\`${name}\``, `\`${type}\`${optional ? ', optional' : ''}`, comment),
      ),
      '',
    ]),
  ].join('\n');
}

/** The order in which a message meets them; the others follow by name. @param {string} name */
function rank(name) {
  const way = ['inbound.parse', 'message.route', 'turn.run', 'delivery.send', 'outbound.sent'];
  const at = way.indexOf(name);
  return at < 0 ? way.length + (name.codePointAt(0) ?? 0) : at;
}

/** @param {string} path */
function jobsOf(path) {
  const file = sourceOf(path);
  const nodes = [...below(file)];
  return nodes.flatMap((node) => {
    if (!ts.isVariableDeclaration(node) || !node.initializer || !ts.isCallExpression(node.initializer)) return [];
    if (!node.initializer.expression.getText().startsWith('defineJob')) return [];
    const [contract] = node.initializer.arguments;
    if (!contract || !ts.isObjectLiteralExpression(contract)) throw new Error(`${path}: a job without its contract`);
    const part = (/** @type {string} */ name) => contract.properties.find((each) => each.name?.getText() === name);
    const value = (/** @type {string} */ name) => {
      const property = part(name);
      return property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
    };
    const text = (/** @type {string} */ name) => {
      const found = value(name);
      return found ? constantOf(found, path) : undefined;
    };
    const backoff = value('backoff');
    const ms = Object.fromEntries(
      (backoff && ts.isObjectLiteralExpression(backoff) ? backoff.properties : []).map((each) => [
        each.name?.getText() ?? '',
        ts.isPropertyAssignment(each) ? Number(constantOf(each.initializer, path)) : 0,
      ]),
    );
    const payload = value('payload')?.getText();
    const shape = nodes.find((each) => ts.isClassDeclaration(each) && each.name?.text === payload);
    if (!shape || !ts.isClassDeclaration(shape)) throw new Error(`${path}: no class ${payload}`);
    const id = value('jobId');
    return [
      {
        constant: node.name.getText(),
        name: String(text('name')),
        queue: String(text('queue')),
        attempts: Number(text('attempts')),
        hasSurplus: part('hasSurplus') !== undefined,
        isSharded: part('isSharded') !== undefined,
        file: path.slice(contracts.length + 1),
        comment: commentOf(shape),
        id: id && ts.isArrowFunction(id) ? idOf(id) : '',
        baseMs: ms['baseMs'] ?? 0,
        capMs: ms['capMs'] ?? 0,
        fields: shape.members.filter(ts.isPropertyDeclaration).map((member) => ({
          name: member.name.getText(),
          type: member.type?.getText() ?? '',
          optional: member.questionToken !== undefined,
          comment: commentOf(member),
        })),
      },
    ];
  });
}

/** What an id consists of: `receipt_id`, or its alternative forms. @param {import('typescript-5').ArrowFunction} id */
function idOf(id) {
  const bare = (/** @type {string} */ text) =>
    text
      .replace(/\bpayload\./g, '')
      .replace(/\$\{/g, '<')
      .replace(/\}/g, '>')
      .replaceAll('`', '');
  const forms = [...below(id.body), id.body].flatMap((node) =>
    ts.isReturnStatement(node) && node.expression ? [node.expression] : [],
  );
  const results = forms.length > 0 ? forms : [id.body];
  return results
    .map((node) => (ts.isParenthesizedExpression(node) ? node.expression : node))
    .flatMap((node) => (ts.isConditionalExpression(node) ? [node.whenTrue, node.whenFalse] : [node]))
    .map((node) => (ts.isTemplateExpression(node) ? bare(node.getText()) : `<${bare(node.getText())}>`))
    .join(' or ');
}

/** The code of each service without its tests. */
function appSources() {
  return readdirSync(join(root, 'apps')).map((app) => ({
    app,
    texts: filesBelow(join(root, 'apps', app))
      .filter((path) => path.endsWith('.ts') && !/\.spec\.ts$|[/\\]testing[/\\]/.test(path))
      .map((path) => readFileSync(path, 'utf8')),
  }));
}

/** @param {{name: string, constant: string}} job @param {ReturnType<typeof appSources>} apps */
function whoseJob({ name, constant }, apps) {
  const adds = new RegExp(`\\.\\w+\\(\\s*${constant}\\s*,`);
  const handles = new RegExp(`@EventPattern(?:<string>)?\\('${name.replaceAll('.', '\\.')}'\\)`);
  const having = (/** @type {RegExp} */ pattern) =>
    apps.filter(({ texts }) => texts.some((text) => pattern.test(text))).map(({ app }) => app);
  const [from, to] = [having(adds), having(handles)];
  if (from.length === 0 || to.length !== 1)
    throw new Error(`${name} is added by ${from.length} and handled by ${to.length} services`);
  return { from, to };
}

/** @param {number} ms */
const time = (ms) => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

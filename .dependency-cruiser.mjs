/** The rules of docs/architecture.md that a tool can check. */
const tests = '\\.spec\\.ts$|/testing/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'apps-import-no-apps',
      comment: 'A service talks to another one by job or HTTP, never by import.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/host/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'host-imports-what-runs',
      comment: 'Of the services that it runs the host knows how they start, and nothing more.',
      severity: 'error',
      from: { path: '^apps/host/' },
      to: { path: '^apps/', pathNot: '^apps/host/|/src/service\\.ts$|^apps/adapters/src/(env|start-adapters)\\.ts$' },
    },
    {
      name: 'console-imports-nothing-of-ours',
      comment: 'The console knows the system by its public API alone: by the types that are generated from it.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(apps|libs|scripts|test)/', pathNot: '^apps/console/' },
    },
    {
      name: 'console-features-apart',
      comment: 'What two features need stands in ui/, api/ or shell/.',
      severity: 'error',
      from: { path: '^apps/console/src/features/([^/]+)/' },
      to: { path: '^apps/console/src/features/', pathNot: '^apps/console/src/features/$1/' },
    },
    {
      name: 'path-imports-no-manage',
      comment: 'Who reads what a message passes does not need what people and services ask.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src/path/', pathNot: tests },
      to: { path: '^apps/$1/src/manage/' },
    },
    {
      name: 'libs-import-no-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'contracts-import-nothing-of-ours',
      severity: 'error',
      from: { path: '^libs/contracts/' },
      to: { path: '^(apps|libs)/', pathNot: '^libs/contracts/' },
    },
    {
      name: 'adapters-stay-thin',
      comment: 'An adapter can be written in any language: it may need nothing of the platform.',
      severity: 'error',
      from: { path: '^(libs/adapter-sdk|apps/adapters)/', pathNot: tests },
      to: {
        path: '^libs/(queue|database|service-kit|journal|contracts)/|node_modules/(@nestjs|bullmq|ioredis|typeorm|pg)/',
      },
    },
    {
      name: 'bullmq-only-in-queue',
      severity: 'error',
      from: { pathNot: '^libs/(queue|testing)/' },
      to: { path: 'node_modules/bullmq/' },
    },
    {
      name: 'typeorm-only-where-rows-are',
      severity: 'error',
      from: { pathNot: `\\.(entity|repository)\\.ts$|/db/|^libs/database/|^libs/journal/|${tests}` },
      to: { path: 'node_modules/typeorm/' },
    },
    {
      name: 'outgoing-calls-through-egress',
      comment: 'Where a call may lead is decided once, in libs/egress; services call each other by ServiceClient.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: `^libs/egress/|^libs/service-kit/src/service-client\\.ts$|${tests}` },
      to: { path: 'node_modules/(undici|axios|got|node-fetch|ws|eventsource|request|superagent|ky)/' },
    },
    {
      name: 'servers-only-of-node-http',
      comment:
        "Node's own clients know no guard: from these modules come types and servers, and sockets only in libs/egress, in the portal's front door, and to the Redis that its Sentinels name.",
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: `^libs/(egress|adapter-sdk|queue/src/sentinels)/|^apps/python-runner/src/sandbox/|^apps/portal/src/front-door/|${tests}`,
      },
      to: { path: '^(node:)?(http|https|http2|net|tls|dgram)$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'libs-through-their-index',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '^libs/', pathNot: '^libs/[^/]+/src/index\\.ts$|^$1/$2/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { pathNot: '^apps/console/' },
      to: { circular: true },
    },
    {
      name: 'no-cycles-in-the-console',
      comment: 'A route loads its page when it is visited, and a page knows the type of its address.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/|^(apps|libs)/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      conditionNames: ['gatehouse-source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};

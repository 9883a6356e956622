import { type IdForm, makeIds } from '#libs/contracts';
import { JobClient, JobServer } from '#libs/queue';
import { inService, startMetrics, startTracing, telemetryDefaults, type TelemetrySettings } from '#libs/telemetry';
import { type DynamicModule, Logger, type Type } from '@nestjs/common';
import { APP_GUARD, NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { AuthGuard } from './auth.guard.js';
import { BodyPipe } from './body.pipe.js';
import { protectFromBrowsers } from './browser-headers.js';
import { asksToCheck, checkStart } from './check-start.js';
import { databaseOf, livenessOf } from './database-of.js';
import { followMessages } from './follow-messages.js';
import { Diagnoser } from './diagnosis/diagnoser.js';
import { DiagnosisController } from './diagnosis/diagnosis.controller.js';
import { EntityTags } from './editing/entity-tags.interceptor.js';
import { SafeContent } from './safe-content.interceptor.js';
import { BoundedDepth } from './bounded-depth.interceptor.js';
import { httpLimitDefaults, type HttpLimits, httpServerOptions, limitConnections } from './http-limits.js';
import { answerAnnouncements } from './incoming/announced-body.js';
import { refuseUnreadable } from './incoming/parser-refusals.js';
import { hookBodies } from './incoming/body-hooks.js';
import { answerHalfClosed } from './incoming/half-closed.js';
import { guardRequests } from './incoming/request-guard.js';
import { sendRefusal } from './incoming/unread-body.js';
import { createLog, logBy, NestLog } from './log.js';
import { sendInPieces } from './long-answers.js';
import { Metrics } from './metrics.js';
import { postgresMetrics } from './postgres-metrics.js';
import { Problem, problemBody } from './problem.js';
import { ProblemFilter } from './problem.filter.js';
import { CONSUMED_QUEUES, QueuesController } from './queues.controller.js';
import { RedisController } from './redis.controller.js';
import { ReadableRequests } from './readable-request.interceptor.js';
import { type Audience, ServiceTokens } from './service-tokens.js';
import { type TrustSettings, trustOf } from './service-trust.js';
import { storeMetrics } from './store-metrics.js';
import { serviceDocument } from './openapi/service-document.js';
import { operationalRoutes } from './operational-routes.js';
import { OperationsServer } from './operations-server.js';
import { Readiness } from './readiness.js';
import type { Jwk } from './service-keys.js';

export interface ServiceSettings extends TrustSettings, Partial<HttpLimits>, Partial<TelemetrySettings> {
  PORT: number;
  HOST: string;
  /** Where `startService` serves metrics and states; 0: any free port. */
  OPERATIONS_PORT: number;
  /** Null for a service without queues. */
  REDIS_URL: string | null;
  QUEUE_CONCURRENCY: number;
  /** Absent: as QUEUE_CONCURRENCY. */
  HAND_OVER_CONCURRENCY?: number;
  /** Absent: as QUEUE_CONCURRENCY. */
  SURPLUS_CONCURRENCY?: number;
  /** Absent: 100. */
  SURPLUS_DUTY_PERCENT?: number;
  /** Absent: 1. */
  QUEUE_SHARDS?: number;
  /** The first one signs; only public halves for a service that calls no other. */
  GATEHOUSE_SERVICE_KEY: Jwk | Jwk[];
  LOG_LEVEL: string;
  /** Absent: `short`. */
  ID_FORM?: IdForm;
  /** Absent: one address may have them all, as other services may. */
  HTTP_CONNECTIONS_PER_ADDRESS?: number;
}

export interface ServiceOptions {
  name: Audience;
  module: Type | DynamicModule;
  settings: ServiceSettings;
  /** Queues whose jobs this service handles. */
  consumes?: string[];
  /** Refuses readiness with a reason, or null; Postgres is checked for every service that has it. */
  notReady?: (app: NestFastifyApplication) => Promise<string | null>;
  /** It goes on with its work while Postgres does not answer, so it stays ready once it was. */
  worksWithoutPostgres?: boolean;
  /** It exports what is used of the stores: one service does. */
  measuresStores?: boolean;
  /** Routes and parsers that are set on Fastify before Nest's own. */
  routes?: (app: NestFastifyApplication) => Promise<void> | void;
  bodyLimit?: number;
  /** Addresses of proxies whose X-Forwarded-For is trusted (CIDRs, or `loopback`). */
  trustedProxies?: string[];
}

/** What a service reports about itself while it runs. */
interface Telemetry {
  metrics: Metrics;
  /** Sends the rest, once nothing produces more. */
  end(): Promise<void>;
}

const defaultBodyLimit = 2 * 1024 * 1024;

/** DI token of what Nest calls when everything has stopped. */
const telemetryEnd = Symbol('telemetryEnd');

/** Builds a service without listening: shared by `startService` and the tests. */
export async function createService(options: ServiceOptions): Promise<NestFastifyApplication> {
  return (await buildService(options, { metrics: new Metrics(options.name), end: async () => undefined })).app;
}

async function buildService(
  options: ServiceOptions,
  { metrics, end }: Telemetry,
): Promise<{ app: NestFastifyApplication; readiness: Readiness; jobs: JobClient | null }> {
  const { settings } = options;
  const tokens = new ServiceTokens(settings.GATEHOUSE_SERVICE_KEY, options.name, trustOf(settings));
  const operations = new OperationsServer();
  const diagnoser = new Diagnoser();
  const shards = settings.QUEUE_SHARDS ?? 1;
  const jobClient = settings.REDIS_URL === null ? null : new JobClient(settings.REDIS_URL, undefined, shards);
  if (jobClient) {
    metrics.gauge('gatehouse_jobs_missed', 'Jobs that Redis did not accept; sweepers add them again', () =>
      [...jobClient.missed.values()].reduce((sum, count) => sum + count, 0),
    );
    metrics.counts('gatehouse_jobs_enqueued', 'First attempts that Redis took', 'job', jobClient.enqueued);
    metrics.counts(
      'gatehouse_jobs_handed_over',
      'First attempts that a service in the same process took without Redis',
      'job',
      jobClient.handedOver,
    );
  }
  const root: DynamicModule = {
    module: class ServiceRoot {},
    global: true,
    imports: [options.module],
    controllers: [
      DiagnosisController,
      ...(jobClient ? [RedisController] : []),
      ...(jobClient && options.consumes?.length ? [QueuesController] : []),
    ],
    providers: [
      { provide: ServiceTokens, useValue: tokens },
      { provide: Metrics, useValue: metrics },
      { provide: OperationsServer, useValue: operations },
      { provide: Diagnoser, useValue: diagnoser },
      { provide: telemetryEnd, useValue: { onApplicationShutdown: end } },
      ...(jobClient ? [{ provide: JobClient, useValue: jobClient }] : []),
      { provide: CONSUMED_QUEUES, useValue: options.consumes ?? [] },
      {
        provide: APP_GUARD,
        useFactory: (reflector: Reflector) => new AuthGuard(tokens, reflector),
        inject: [Reflector],
      },
    ],
    exports: [ServiceTokens, Metrics, OperationsServer, Diagnoser, ...(jobClient ? [JobClient] : [])],
  };
  const bodyLimit = options.bodyLimit ?? defaultBodyLimit;
  const adapter = new FastifyAdapter({
    ...httpServerOptions(settings),
    genReqId: (request: { headers: Record<string, unknown> }) => requestId(request.headers['x-request-id']),
    bodyLimit,
    // Such keys stay ordinary own keys: public routes refuse them by name, and between services they are data of others.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    routerOptions: { maxParamLength: 300 },
    forceCloseConnections: 'idle',
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseUnreadable,
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new NestLog(createLog(options.name, settings.LOG_LEVEL)),
    // Otherwise Nest ends the whole process, including the other services in it.
    abortOnError: false,
  });
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  hookBodies(fastify);
  // Only others announce bodies to a service, and the portal announces those of its clients.
  if (options.name !== 'portal') answerAnnouncements(fastify, bodyLimit);
  followMessages(fastify);
  sendInPieces(
    fastify,
    settings.HTTP_LONG_ANSWER_BYTES_PER_SECOND ?? httpLimitDefaults.HTTP_LONG_ANSWER_BYTES_PER_SECOND,
  );
  app.useGlobalFilters(new ProblemFilter());
  await options.routes?.(app);
  guardRequests(app.getHttpServer());
  answerHalfClosed(app.getHttpServer(), settings.HTTP_HALF_CLOSED_MS ?? httpLimitDefaults.HTTP_HALF_CLOSED_MS);
  limitConnections(app, settings, options.trustedProxies ?? []);
  if (options.consumes?.length && settings.REDIS_URL !== null && jobClient) {
    metrics.queues(options.consumes, (queue) => jobClient.depth(queue));
    const strategy = new JobServer({
      redisUrl: settings.REDIS_URL,
      health: jobClient.health,
      queues: options.consumes,
      shards,
      shardsOf: (queue) => jobClient.shardsOf(queue),
      concurrency: settings.QUEUE_CONCURRENCY,
      surplusConcurrency: settings.SURPLUS_CONCURRENCY ?? settings.QUEUE_CONCURRENCY,
      handOver: settings.HAND_OVER_CONCURRENCY ?? settings.QUEUE_CONCURRENCY,
      surplusDuty: (settings.SURPLUS_DUTY_PERCENT ?? 100) / 100,
    });
    metrics.gauge(
      'gatehouse_consumers_renewed',
      'Consumers that took nothing of what was due, and were made anew',
      () => [...strategy.renewed.values()].reduce((sum, count) => sum + count, 0),
    );
    app.connectMicroservice({ strategy }, { inheritAppConfig: true });
  }
  // After the job handlers were bound: the transport checks their payloads, by other rules than bodies.
  app.useGlobalPipes(new BodyPipe());
  app.useGlobalInterceptors(new BoundedDepth(), new ReadableRequests(), new SafeContent());
  const database = databaseOf(app);
  if (database) postgresMetrics(metrics.registry, database);
  if (options.measuresStores && database && jobClient) storeMetrics(metrics.registry, database, jobClient);
  if (database) app.useGlobalInterceptors(new EntityTags(app, database));
  const liveness = livenessOf(app);
  jobClient?.onReady(() => liveness?.noteLoss('a connection to Redis has begun'));
  jobClient?.health.onRecovery(() => liveness?.noteLoss('Redis works again'));
  diagnoser.of({ service: options.name, settings, database, jobs: jobClient });
  const jwks = await tokens.jwks;
  app
    .getHttpAdapter()
    .getInstance()
    .get('/.well-known/jwks.json', () => jwks);
  const readiness = new Readiness(
    app,
    async () => (await options.notReady?.(app)) ?? null,
    options.worksWithoutPostgres ?? false,
  );
  operationalRoutes(app, operations, metrics, { readiness, redis: () => jobClient?.health.state() ?? null });
  let document: Buffer | undefined;
  app
    .getHttpAdapter()
    .getInstance()
    .get('/openapi.json', (_request, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .send((document ??= Buffer.from(JSON.stringify(serviceDocument(app, options.name))))),
    );
  return { app, readiness, jobs: jobClient };
}

/**
 * Starts a service with a process to itself: it drains on SIGTERM (Nest's shutdown hooks close servers, then workers).
 * With `--check` it only checks the settings.
 */
export async function startService(options: ServiceOptions): Promise<NestFastifyApplication> {
  if (asksToCheck()) {
    await checkStart(options);
    process.exit(0);
  }
  const app = await openService(options);
  app.enableShutdownHooks();
  // Nest ends the process with the signal it received, which leaves Node no time to store its compile cache.
  flushCompileCache();
  return app;
}

/**
 * Starts a service beside others in one process, each with its own log: HTTP, queues, health.
 * @returns what drains and closes it: its host handles the signals
 */
export async function hostService(options: ServiceOptions): Promise<{ close(): Promise<void> }> {
  const log = createLog(options.name, options.settings.LOG_LEVEL);
  const app = await inService(options.name, () => logBy(log, () => openService(options)));
  return { close: () => logBy(log, () => app.close()) };
}

async function startTelemetry({ name, settings }: ServiceOptions): Promise<Telemetry> {
  const metrics = new Metrics(name);
  const given = { ...telemetryDefaults, ...settings };
  const say = (error: string): void => new Logger('telemetry').warn({ event: 'telemetry.not_sent', error });
  const endTracing = await startTracing(name, given, say);
  const endMetrics = await startMetrics(name, metrics.registry, given, say);
  return { metrics, end: async () => void (await Promise.all([endTracing(), endMetrics()])) };
}

/** Opens the operations port; then, once the schema is migrated, queues and HTTP. */
async function openService(options: ServiceOptions): Promise<NestFastifyApplication> {
  makeIds(options.settings.ID_FORM ?? 'short');
  const { app, readiness, jobs } = await buildService(options, await startTelemetry(options));
  try {
    await app.get(OperationsServer).listen(options.settings);
    jobs?.watch(options.consumes ?? []);
    await readiness.untilMigrated();
    // First its proof of life: a lease that was taken without it would outlive a process that dies soon.
    await app.init();
    await app.startAllMicroservices();
    await app.listen(options.settings.PORT, options.settings.HOST);
  } catch (error) {
    await app.close();
    throw error;
  }
  new Logger('start').log({ event: 'service.started', url: await app.getUrl() });
  return app;
}

/** An address that cannot be decoded reaches no route, so no filter and no hook sees it. */
function refuseAddress(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const problem = new Problem(400, 'invalid_request', 'The address is not valid percent-encoding.');
  protectFromBrowsers(reply);
  reply.status(problem.status).header('content-type', 'application/problem+json');
  void sendRefusal(reply, JSON.stringify(problemBody(problem, request.id)));
}

/** The caller's request id if it is well formed, so that one id follows a request through every service. */
function requestId(given: unknown): string {
  return typeof given === 'string' && /^[\w.-]{8,128}$/.test(given) ? given : `req_${randomUUID().replaceAll('-', '')}`;
}

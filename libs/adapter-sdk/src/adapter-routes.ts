import type { FastifyInstance, FastifyReply, preHandlerAsyncHookHandler } from 'fastify';
import type { AdapterDefinition } from './adapter-definition.js';
import { readContext, type CallContext } from './call-context.js';
import {
  readCredentials,
  readDelivery,
  readFetchFile,
  readFormat,
  readIndication,
  readListChanges,
  readLookup,
  readMissedSince,
  readPoll,
  readRenewal,
} from './call-reading.js';
import { checkAnswer, ContractViolation } from './contract-violation.js';
import { readEnvelope } from './inbound-envelope.js';
import { InvalidRequest } from './invalid-request.js';
import { isJsonObject, parseJson, type JsonObject } from './json-value.js';
import { messageOfTrace } from './message-of-trace.js';

type Handler = (body: JsonObject, context: CallContext) => unknown;

/** Serves the routes of the contract that one adapter offers. `methods` collects the methods that each path allows. */
export function mountAdapter(
  app: FastifyInstance,
  adapter: AdapterDefinition,
  options: { version: string; guards: preHandlerAsyncHookHandler[]; methods: Map<string, string> },
): void {
  const base = `/${adapter.manifest.slug}`;
  const get = (path: string, answer: unknown): void => {
    app.get(base + path, async (_request, reply) => reply.send(answer));
    options.methods.set(base + path, 'GET, HEAD');
  };
  get('/manifest.json', adapter.manifest);
  get('/health', { status: 'ready', version: options.version, adapter: adapter.manifest.slug });

  for (const [route, handler] of Object.entries(handlers(adapter))) {
    options.methods.set(`${base}/${route}`, 'POST');
    app.post(`${base}/${route}`, { preHandler: [...options.guards, parseBody] }, async (request, reply) => {
      const startedAt = performance.now();
      const body = isJsonObject(request.body) ? request.body : {};
      const context = readContext(request);
      const answer = await handler(body, context);
      request.log.info({
        event: 'adapter.call',
        adapter: adapter.manifest.slug,
        route,
        duration_ms: Math.round(performance.now() - startedAt),
        organization_id: context.organizationId,
        project_id: context.projectId,
        ...messageOfTrace(context.traceparent),
        ok: isJsonObject(answer) ? answer.ok : undefined,
        error: isJsonObject(answer) ? answer.error : undefined,
      });
      return route === 'sources/fetch-file' ? sendFile(reply, answer) : reply.send(checkAnswer(route, answer));
    });
  }
}

function handlers(adapter: AdapterDefinition): Record<string, Handler> {
  const { verifyWebhook, parseInbound, renewWebhook, missedSince, poll } = adapter;
  const { deliver, lookup, format, indicate, sources } = adapter;
  const fetchFile = sources?.fetchFile.bind(sources) ?? adapter.fetchFile?.bind(adapter);
  return {
    verify: (body, context) => adapter.verify({ credentials: readCredentials(body), context }),
    ...(verifyWebhook && {
      'verify-webhook': (body, context) => verifyWebhook.call(adapter, readEnvelope(body, context)),
    }),
    ...(parseInbound && {
      'parse-inbound': (body, context) => parseInbound.call(adapter, readEnvelope(body, context)),
    }),
    ...(renewWebhook && {
      'renew-webhook': (body, context) => renewWebhook.call(adapter, { ...readRenewal(body), context }),
    }),
    ...(missedSince && {
      'missed-since': (body, context) => missedSince.call(adapter, { ...readMissedSince(body), context }),
    }),
    ...(poll && { poll: (body, context) => poll.call(adapter, { ...readPoll(body), context }) }),
    ...(deliver && {
      deliver: (body, context) => {
        const read = readDelivery(body);
        return 'ok' in read ? read : deliver.call(adapter, { ...read, context });
      },
    }),
    ...(lookup && {
      'deliver/lookup': (body, context) => lookup.call(adapter, { ...readLookup(body), context }),
    }),
    ...(format && { format: (body, context) => format.call(adapter, { ...readFormat(body), context }) }),
    ...(indicate && {
      indicate: (body, context) => indicate.call(adapter, { ...readIndication(body), context }),
    }),
    ...(sources && {
      'sources/list-changes': (body, context) => sources.listChanges({ ...readListChanges(body), context }),
    }),
    ...(fetchFile && {
      'sources/fetch-file': (body, context) => fetchFile({ ...readFetchFile(body), context }),
    }),
  };
}

const parseBody: preHandlerAsyncHookHandler = async (request, reply) => {
  const parsed = Buffer.isBuffer(request.body) ? parseJson(request.body.toString('utf8')) : undefined;
  if (parsed === undefined) {
    return reply.code(400).send({ error: 'invalid_json', message: 'the request body is not JSON' });
  }
  if (!isJsonObject(parsed)) throw new InvalidRequest('the request body must be an object');
  request.body = parsed;
};

/** Sends what `fetchFile` returned: raw bytes with their type, or the base64 form or a failure as JSON. */
function sendFile(reply: FastifyReply, answer: unknown): FastifyReply {
  if (!isJsonObject(answer)) throw new ContractViolation('sources/fetch-file: the answer must be an object');
  if (Buffer.isBuffer(answer.bytes)) {
    // A list of readers may be longer than headers can be.
    if (answer.access !== undefined) {
      const { bytes: _bytes, ...rest } = answer;
      return reply.send({ ...rest, content_base64: answer.bytes.toString('base64'), size: answer.bytes.length });
    }
    // Marks the body as the bytes of a file, even when the file is JSON itself.
    reply.header('content-disposition', 'attachment');
    if (typeof answer.fingerprint === 'string') reply.header('x-fingerprint', encodeURIComponent(answer.fingerprint));
    return reply.type(text(answer.content_type) ?? 'application/octet-stream').send(answer.bytes);
  }
  if (typeof answer.content_base64 !== 'string' && typeof answer.error !== 'string') {
    throw new ContractViolation('sources/fetch-file: bytes, content_base64 or error is required');
  }
  return reply.send(answer);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

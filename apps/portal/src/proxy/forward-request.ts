import { announcedBytesHeader, bodyRoomHeader } from '#libs/contracts';
import { declaredBytes, type IncomingBodies, sendRefusal } from '#libs/service-kit';
import type { FastifyHttpProxyOptions } from '@fastify/http-proxy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { text } from 'node:stream/consumers';
import { sendProblem } from './send-problem.js';
import type { UpstreamPlaces } from './upstream-places.js';

type ReplyOptions = NonNullable<FastifyHttpProxyOptions['replyOptions']>;

/** A body that is no longer is read without asking the service whether it wants it, unless its client asks too. */
const unaskedBytes = 65_536;
/** For a service of an older version, which does not say how long a body may be: the highest of all limits. */
const unknownRoomBytes = 41_943_040;

export interface Forwarding {
  bodies: IncomingBodies;
  places: UpstreamPlaces;
  /** Whom a body counts against, besides its address. */
  targetOf(request: FastifyRequest): string;
}

/**
 * Sends a request to its service once its body is here, so that a slow client costs no connection to the service. The
 * service is asked first about a long body, and about one whose client waits for `100 Continue`: it may refuse them by
 * the head alone.
 */
export async function forwardRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  dest: string,
  options: ReplyOptions,
  { bodies, places, targetOf }: Forwarding,
): Promise<FastifyReply> {
  try {
    if (hasBody(request)) {
      const declared = declaredBytes(request.raw);
      const asks = declared === null || declared > unaskedBytes || request.raw.headers.expect !== undefined;
      const maxBytes = asks ? await askForRoom(reply, dest, options, declared ?? 0, places) : unaskedBytes;
      if (maxBytes === null) return reply;
      const owner = { maxBytes, address: request.ip, target: targetOf(request) };
      request.body = await bodies.read(request.raw, reply.raw, owner);
    }
    if (request.raw.destroyed && !request.raw.complete) return reply;
    return send(reply, dest, options, await places.enter());
  } catch (error) {
    return sendProblem(reply, error);
  }
}

/** Of a GET and a HEAD no body is forwarded. */
function hasBody({ method, raw }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && declaredBytes(raw) !== 0;
}

/** Sends the request. Its place is free again once the service's answer has been received, not when the client has it. */
function send(reply: FastifyReply, dest: string, options: ReplyOptions, leave: () => void): FastifyReply {
  try {
    return reply.from(dest, {
      ...options,
      rewriteHeaders: (headers, request) => {
        // The answer to a client that has gone is dropped, and goes to none of the functions below.
        if (request?.raw.aborted) leave();
        return options.rewriteHeaders?.(headers, request) ?? headers;
      },
      onResponse: (request, answering, answer) => {
        answer.stream.once('close', leave);
        options.onResponse?.(request, answering, answer);
      },
      onError: (answering, failure) => {
        leave();
        options.onError?.(answering, failure);
      },
    });
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * Asks the service with the head of a request how long its body may be.
 * @param bytes of the body; 0: unknown
 * @returns null where the service refused the request, and the client has its answer
 */
async function askForRoom(
  reply: FastifyReply,
  dest: string,
  options: ReplyOptions,
  bytes: number,
  places: UpstreamPlaces,
): Promise<number | null> {
  const leave = await places.enter();
  const before = new Set(Object.keys(reply.getHeaders()));
  return new Promise((resolve, reject) => {
    const announcing: ReplyOptions = {
      ...options,
      method: 'OPTIONS',
      body: null,
      rewriteRequestHeaders: (request, headers) => ({
        ...(options.rewriteRequestHeaders?.(request, headers) ?? headers),
        'content-length': '0',
        [announcedBytesHeader]: String(bytes),
      }),
      onResponse: (_request, _reply, { stream }) => {
        const room = reply.getHeader(bodyRoomHeader);
        if (Number(room) !== 0) {
          // They are of this answer, not of the client's.
          for (const name of Object.keys(reply.getHeaders())) if (!before.has(name)) reply.removeHeader(name);
          stream.resume();
          return resolve(room === undefined ? unknownRoomBytes : Number(room));
        }
        reply.removeHeader(bodyRoomHeader);
        void relay(reply, stream).then(() => resolve(null), reject);
      },
      onError: (answering, failure) => {
        options.onError?.(answering, failure);
        resolve(null);
      },
    };
    try {
      send(reply, dest, announcing, leave);
    } catch (error) {
      reject(error);
    }
  });
}

/** Gives the client a service's refusal of its head. */
async function relay(reply: FastifyReply, answer: NodeJS.ReadableStream): Promise<void> {
  sendRefusal(reply, await text(answer));
}

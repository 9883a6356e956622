import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../proxy/send-problem.js';
import { handedOnRoute } from '../proxy/route-table.js';
import { HandedOn } from './handed-on.js';

/** Refuses whoever is not the peer of a project before the body is read: it may be large, and anybody can call the route. */
export function authenticatePeers(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const handedOn = app.get(HandedOn, { strict: false });
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url !== handedOnRoute) return;
    try {
      const { id } = request.params as { id: string };
      await handedOn.requirePeer(id, request.headers.authorization);
    } catch (error) {
      return sendProblem(reply, error);
    }
  });
}

import { A2A_CONTENT_TYPE } from '@a2a-js/sdk';
import { A2A_ERROR_CODE, RequestMalformedError, toRestErrorBody } from '@a2a-js/sdk/errors';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Reads the bodies of both bindings: in that of HTTP they are JSON by another name (A2A 1.0, 11.2). */
export function readA2ABodies(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const parser = fastify.getDefaultJsonParser('ignore', 'ignore');
  fastify.addContentTypeParser(A2A_CONTENT_TYPE, { parseAs: 'string' }, parser);
  // A body is read before a controller gets the request: what is no JSON would be refused as on every other path.
  fastify.addHook('onRoute', (route) => {
    if (route.method === 'POST' && route.url.startsWith('/a2a/')) route.errorHandler = refuseBody;
  });
}

/** As the binding of the path says (9.5, 11.6). @throws what is not about JSON, which the filter answers */
function refuseBody(error: FastifyError, { routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (error.statusCode !== 400) throw error;
  const message = 'The body is not JSON.';
  if (routeOptions.url === '/a2a/:agent') {
    const body = { jsonrpc: '2.0', id: null, error: { code: A2A_ERROR_CODE.PARSE_ERROR, message } };
    void reply.status(200).header('content-type', 'application/json').send(JSON.stringify(body));
  } else {
    const body = toRestErrorBody(new RequestMalformedError(message), 400);
    void reply.status(400).header('content-type', A2A_CONTENT_TYPE).send(JSON.stringify(body));
  }
}

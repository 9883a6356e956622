import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Of a request that names none: clients of 0.3 do not know the header (A2A 1.0, 3.6.2). */
const oldestVersion = '0.3';

/** The version that a request asks for: by its header, or where a client cannot set one, in its query (A2A 1.0, 3.6.1). */
export const AskedVersion = createParamDecorator((_data: undefined, context: ExecutionContext): string => {
  const { headers, query } = context
    .switchToHttp()
    .getRequest<FastifyRequest<{ Querystring: Record<string, unknown> }>>();
  const asked = [headers['a2a-version'], query['A2A-Version']];
  return asked.find((version): version is string => typeof version === 'string' && version !== '') ?? oldestVersion;
});

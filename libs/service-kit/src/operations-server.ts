import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { fastify, type FastifyInstance } from 'fastify';
import { httpLimitDefaults } from './http-limits.js';
import { answerHalfClosed } from './incoming/half-closed.js';

export interface OperationsSettings {
  OPERATIONS_PORT: number;
  HOST: string;
}

/**
 * What operators and Prometheus read: `/metrics`, the detailed state, and what a service adds. On a port of its own,
 * which the service's callers cannot reach.
 */
@Injectable()
export class OperationsServer implements OnApplicationShutdown {
  readonly http: FastifyInstance = fastify({ logger: false, forceCloseConnections: true, bodyLimit: 1_024 });

  /** @returns its address; @throws Error `EADDRINUSE` naming the setting that moves it */
  async listen({ OPERATIONS_PORT: port, HOST: host }: OperationsSettings): Promise<string> {
    try {
      answerHalfClosed(this.http.server, httpLimitDefaults.HTTP_HALF_CLOSED_MS);
      const url = await this.http.listen({ port, host });
      new Logger('start').log({ event: 'operations.started', url });
      return url;
    } catch (error) {
      if (!String(error).includes('EADDRINUSE')) throw error;
      throw new Error(`Port ${port} is in use: set OPERATIONS_PORT to another, or to 0 for any`, { cause: error });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}

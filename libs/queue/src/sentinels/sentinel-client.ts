import { Redis } from 'ioredis';
import type { ConnectionOptions } from 'node:tls';

export interface Node {
  host: string;
  port: number;
}

/** Where Sentinels are, and which master is asked about. */
export interface Sentinels {
  nodes: Node[];
  master: string;
  password?: string;
  tls?: ConnectionOptions;
}

/** What a Sentinel says. */
export interface Named extends Node {
  /** Grows with each failover. */
  epoch: number;
}

/** One that is stopped keeps its connections, and answers none. */
const answersWithinMs = 1_000;

/** A connection to one Sentinel. It connects once: when it fails, another Sentinel is asked. */
export class SentinelClient {
  private readonly redis: Redis;
  private reason: Error | null = null;
  /** Sentinels that it knows besides itself; null until it has said so. */
  others: Node[] | null = null;

  constructor(
    node: Node,
    private readonly of: Sentinels,
  ) {
    this.redis = new Redis({
      ...node,
      ...(of.password && { password: of.password }),
      ...(of.tls && { tls: of.tls }),
      retryStrategy: () => null,
      enableReadyCheck: false,
      connectTimeout: answersWithinMs,
      commandTimeout: answersWithinMs,
      disableClientInfo: true,
    });
    this.redis.on('error', (error) => (this.reason = error));
    this.learn().catch(() => undefined);
  }

  /** @throws Error with the reason, or that it knows no such master */
  async ask(): Promise<Named> {
    try {
      const [details, address] = await Promise.all([
        // What speaks for Sentinels may not know it.
        this.call('MASTER').catch(() => null),
        this.call('GET-MASTER-ADDR-BY-NAME'),
      ]);
      if (!Array.isArray(address)) throw new Error(`it knows no master named ${this.of.master}`);
      return {
        host: String(address[0]),
        port: Number(address[1]),
        epoch: Number(fieldsOf(details)['config-epoch'] ?? 0),
      };
    } catch (error) {
      throw this.reason ?? error;
    }
  }

  close(): void {
    this.redis.disconnect();
  }

  private async learn(): Promise<void> {
    const others = await this.call('SENTINELS');
    if (!Array.isArray(others)) return;
    const answering = others.map(fieldsOf).filter(({ flags = '' }) => !/disconnected|_down/.test(flags));
    this.others = answering.map(({ ip = '', port }) => ({ host: ip, port: Number(port) }));
  }

  private call(what: string): Promise<unknown> {
    return this.redis.call('SENTINEL', what, this.of.master);
  }
}

export const isSame = (one: Node, other: Node): boolean => one.host === other.host && one.port === other.port;

/** Of a list of names and values in turn. */
function fieldsOf(list: unknown): Record<string, string> {
  const all = Array.isArray(list) ? list.map(String) : [];
  return Object.fromEntries(all.flatMap((name, at) => (at % 2 === 0 ? [[name, all[at + 1] ?? '']] : [])));
}

import { AbstractConnector } from 'ioredis';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { MasterWatch } from './master-watch.js';
import type { Node, Sentinels } from './sentinel-client.js';

/** A connection that is closed while it is being made is given up quietly. */
const closed = 'Connection is closed.';
const closeWithinMs = 2_000;

/** One for each master and its Sentinels, whoever connects. */
const watches = new Map<string, MasterWatch>();

/**
 * How ioredis connects to the master that Sentinels name. Its own way ends a connection for good when it hears of a
 * failover while that connection is being made, waits for ever for a Sentinel that is stopped, and asks for each
 * connection.
 */
export function masterConnector(sentinels: Sentinels, waitMs: (tries: number) => number): new () => AbstractConnector {
  const { nodes, master, password, tls } = sentinels;
  const key = JSON.stringify([nodes, master, password, tls]);
  const watch = watches.get(key) ?? new MasterWatch(sentinels);
  watches.set(key, watch);

  return class extends AbstractConnector {
    constructor() {
      super(closeWithinMs);
    }

    override check({ role }: { role?: string }): boolean {
      const isMaster = role === undefined || role === 'master';
      if (!isMaster) watch.doubt();
      return isMaster;
    }

    override async connect(report: (event: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      const node = await this.named(report);
      const socket = tls ? connectTls({ ...node, ...tls }) : createConnection({ ...node });
      this.stream = socket;
      socket.once('error', (error) => (this.firstError = error));
      watch.follow(socket, node);
      return socket;
    }

    override disconnect(): void {
      const socket = this.stream as Socket | undefined;
      if (socket?.connecting) watch.leave(socket);
      super.disconnect();
    }

    private async named(report: (event: string, error: Error) => void): Promise<Node> {
      for (let tries = 1; this.connecting; tries += 1) {
        try {
          const { host, port } = await watch.master();
          if (this.connecting) return { host, port };
        } catch (error) {
          report('error', error as Error);
          await pause(waitMs(tries));
        }
      }
      throw new Error(closed);
    }
  };
}

import type { Socket } from 'node:net';
import { isSame, type Named, type Node, SentinelClient, type Sentinels } from './sentinel-client.js';

const everyMs = 500;

/**
 * Which server is the master, for all connections of a process to it. While there are any, one Sentinel is asked twice a
 * second, or all of them where no master is at the address it named, and connections to a former master are cut: one that
 * was stopped and continues keeps them for eight seconds more, and forgets what it takes meanwhile.
 *
 * Asked, not subscribed to: after a message that was missed, or a Sentinel that is stopped, it had to be asked as well.
 */
export class MasterWatch {
  private client: SentinelClient | null = null;
  /** Which of the Sentinels is asked. */
  private at = 0;
  /** Sentinels that others named. */
  private learned: Node[] = [];
  private known: Named | null = null;
  private asking: Promise<Named> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isDoubted = false;
  /** Connections, each with the server that it was made to. */
  private readonly sockets = new Map<Socket, Node>();

  constructor(private readonly sentinels: Sentinels) {}

  /** Asks now. @throws Error when no Sentinel answers, with the last one's reason as its cause */
  master(): Promise<Node> {
    return (this.asking ??= this.ask().finally(() => {
      this.asking = null;
      this.goOn();
    }));
  }

  /** Cuts a connection when its server is no longer the master. */
  follow(socket: Socket, to: Node): void {
    let isConnected = false;
    socket.once('connect', () => (isConnected = true));
    socket.once('close', () => {
      if (this.sockets.delete(socket) && !isConnected) this.doubt();
    });
    this.sockets.set(socket, to);
    this.goOn();
  }

  /** This end gives up a connection that is being made, which says nothing about its server. */
  leave(socket: Socket): void {
    this.sockets.delete(socket);
  }

  /** Whoever was named is away, or no master: all Sentinels are asked next, and may count less failovers than before. */
  doubt(): void {
    this.isDoubted = true;
  }

  private async ask(): Promise<Named> {
    const now = this.isDoubted ? await this.newestOfAll() : await this.newest();
    this.known = now;
    for (const [socket, to] of this.sockets) {
      if (isSame(to, now)) continue;
      this.sockets.delete(socket);
      socket.destroy();
    }
    return now;
  }

  /**
   * What the Sentinel says that counts the most failovers, which is asked from then on. The others may be cut off; where
   * all count less than before, they were set up anew. Where several count as many, or may not say, it is the next one.
   */
  private async newestOfAll(): Promise<Named> {
    this.isDoubted = false;
    this.turn();
    const { nodes, at: first } = this;
    const clients = nodes.map((_, step) => {
      const at = (first + step) % nodes.length;
      return { at, client: new SentinelClient(nodes[at] as Node, this.sentinels) };
    });
    const answers = await Promise.allSettled(clients.map(async ({ at, client }) => ({ at, now: await client.ask() })));
    for (const { client } of clients) client.close();
    let newest: Named | null = null;
    let reason: unknown;
    for (const answer of answers) {
      if (answer.status === 'rejected') reason = answer.reason;
      else if (!newest || answer.value.now.epoch > newest.epoch) ({ now: newest, at: this.at } = answer.value);
    }
    if (newest) return newest;
    this.isDoubted = true;
    throw this.unnamed(reason);
  }

  /** What the first Sentinel says that is not behind what is known. A Sentinel that is cut off from others is. */
  private async newest(): Promise<Named> {
    let reason: unknown;
    let hasAnswered = false;
    for (let left = this.nodes.length; left > 0; left -= 1) {
      try {
        const now = await this.askOne();
        if (now.epoch >= (this.known?.epoch ?? 0)) return now;
        hasAnswered = true;
      } catch (error) {
        reason = error;
      }
      this.turn();
    }
    if (hasAnswered && this.known) return this.known;
    throw this.unnamed(reason);
  }

  private unnamed(cause: unknown): Error {
    return new Error(`No Sentinel names the master ${this.sentinels.master}`, { cause });
  }

  private async askOne(): Promise<Named> {
    const { nodes } = this;
    this.client ??= new SentinelClient(nodes[this.at % nodes.length] as Node, this.sentinels);
    const now = await this.client.ask();
    this.learned = this.client.others ?? this.learned;
    return now;
  }

  private get nodes(): Node[] {
    const given = this.sentinels.nodes;
    return [...given, ...this.learned.filter((one) => !given.some((node) => isSame(node, one)))];
  }

  /** To the next Sentinel. */
  private turn(): void {
    this.client?.close();
    this.client = null;
    this.at = (this.at + 1) % this.nodes.length;
  }

  private goOn(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // Connections notice by themselves that there is no answer.
      if (this.sockets.size > 0) this.master().catch(() => undefined);
      else if (!this.asking) this.rest();
    }, everyMs).unref();
  }

  private rest(): void {
    this.client?.close();
    this.client = null;
  }
}

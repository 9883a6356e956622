import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A link to a store that can be cut and restored while it is in use. */
export interface BreakableLink {
  /** The store's URL over this link. */
  url: string;
  cut(): void;
  /** Silently passes nothing on until it is restored. */
  hold(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openLink(storeUrl: string): Promise<BreakableLink> {
  const store = new URL(storeUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect({ port: Number(store.port), host: store.hostname, noDelay: true });
    near.setNoDelay(true);
    keep(near, far);
    keep(far, near);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(store);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    hold: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    mend: () => {
      isCut = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

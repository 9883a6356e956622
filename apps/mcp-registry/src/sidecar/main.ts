import { createLog } from '#libs/service-kit';
import { env } from './env.js';
import { createSidecar } from './sidecar.js';

/** Serves an operator's stdio servers to the registry. It is a process of its own and is not started by default. */
const log = createLog('mcp-sidecar', env.LOG_LEVEL);
const sidecar = createSidecar(env, log);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  // A second signal does not restart the shutdown that the first one began.
  process.on(signal, () => void sidecar.close());
}
const url = await sidecar.listen({ port: env.PORT, host: env.HOST });
log.info({ event: 'sidecar.started', url, servers: [...env.MCP_SIDECAR_FILE.keys()] });

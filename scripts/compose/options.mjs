import { parseArgs } from 'node:util';

/** What `npm run test:compose -- --help` prints. */
const HELP = `npm run test:compose -- [options]

Installs Gatehouse by Docker Compose under a project name of its own, disturbs it while messages flow, and prints what was
acknowledged, refused, lost and doubled. By default behind deploy/compose.tls.yml, with portal and ingress twice from the row
"scale" on. Nothing is published. It deletes the installation and its volumes at the end.

  --plain         without a proxy: the portal, once, forwards to one ingress
  --no-build      with the images gatehouse/* that the engine has
  --rate N        messages a second (20)
  --only ROW,...  some rows; "scale" always runs, except with --plain
  --keep          leave the installation there at the end
`;

/** @returns the options; prints the help and ends where that is asked for */
export function readOptions() {
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = parseArgs({
    options: {
      plain: flag,
      'no-build': flag,
      rate: { type: 'string', default: '20' },
      only: { type: 'string' },
      keep: flag,
      help: flag,
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const rate = Number(values.rate);
  if (!(rate > 0 && rate <= 1_000)) throw new Error(`--rate ${values.rate}: a number from 1 to 1000`);
  return { plain: values.plain, build: !values['no-build'], rate, only: values.only?.split(','), keep: values.keep };
}

/** @typedef {ReturnType<typeof readOptions>} Options */

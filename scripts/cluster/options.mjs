import { parseArgs } from 'node:util';

/** What `npm run test:cluster -- --help` prints. */
const HELP = `npm run test:cluster -- [options]

Installs Gatehouse with two replicas of each service into the cluster of KUBECONFIG, disturbs it while messages flow, and prints
what was lost, refused and doubled. It makes the namespaces gatehouse and gatehouse-test, refuses a cluster that has either, and
deletes both at the end.

  --kubectl COMMAND    how to call kubectl ("kubectl"; words are separated by spaces)
  --repository NAME    of the images ("gatehouse")
  --tag TAG            of the images ("dev")
  --next TAG           images of a next release that has another migration (scripts/cluster/next.Dockerfile makes some)
  --cut COMMAND        cuts the power of the node whose name is appended
  --restore COMMAND    brings that node back
  --extra FILE         manifests to apply first: volumes, classes, policies of this cluster
  --filter COMMAND     changes the manifests on their way to the cluster, from stdin to stdout
  --helm               what the chart renders instead of what kustomize builds
  --rate N             messages a second (20)
  --only ROW,...       some rows
  --keep               leave everything there at the end
`;

/** @returns the options; prints the help and ends where that is asked for */
export function readOptions() {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = parseArgs({
    options: {
      kubectl: { ...text, default: 'kubectl' },
      repository: { ...text, default: 'gatehouse' },
      tag: { ...text, default: 'dev' },
      next: text,
      cut: text,
      restore: text,
      extra: text,
      filter: text,
      rate: { ...text, default: '20' },
      only: text,
      helm: flag,
      keep: flag,
      help: flag,
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (values.cut && !values.restore)
    throw new Error('--cut needs --restore: a node that stays away spoils what follows');
  const rate = Number(values.rate);
  if (!(rate > 0 && rate <= 1_000)) throw new Error(`--rate ${values.rate}: a number from 1 to 1000`);
  return { ...values, rate };
}

/** @typedef {ReturnType<typeof readOptions>} Options */

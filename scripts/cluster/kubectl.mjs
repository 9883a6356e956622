import { run } from '../disturbance/command.mjs';

/** kubectl in the namespace of Gatehouse, or in another one. @param {string} command */
export function kubectlBy(command) {
  const words = command.split(' ');
  const kubectl = (/** @type {string[]} */ args, /** @type {string} */ input = '') => run([...words, ...args], input);
  return Object.assign(kubectl, {
    /** @param {string[]} args @returns {Promise<any>} */
    json: async (...args) => JSON.parse(await kubectl(['get', ...args, '-o', 'json'])),
    /** Prints by a program of one line in a pod of Gatehouse. @param {string} pod @param {string} program @param {string[]} more */
    node: (pod, program, ...more) =>
      kubectl([
        'exec',
        '-n',
        pod.startsWith('observer') ? 'gatehouse-test' : 'gatehouse',
        pod,
        '-c',
        'app',
        '--',
        'node',
        '--input-type=module',
        '-e',
        program,
        ...more,
      ]),
  });
}

/** @typedef {ReturnType<typeof kubectlBy>} Kubectl */

/**
 * One progress line on the terminal.
 * @param {string} text
 */
export function say(text) {
  process.stdout.write(`gatehouse  ${text}\n`);
}

/**
 * Runs a script's body; an error becomes one readable message and exit code 1.
 * @param {() => Promise<void>} body
 */
export async function runScript(body) {
  try {
    await body();
  } catch (error) {
    process.stderr.write(`gatehouse  ${error instanceof Error ? error.message : String(error)}\n`);
    if (process.env.GATEHOUSE_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  }
}

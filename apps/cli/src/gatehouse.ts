import { environment } from './env.js';
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), environment, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});

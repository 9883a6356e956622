// Makes the picture of memory that every child starts from: `node --permission ... snapshot.mjs <settings as JSON>`. It holds
// Python, the sandbox' own modules and every module that a tool may import, and writes it to descriptor 3. It runs no tool.
import { readdirSync, readFileSync } from 'node:fs';
import { startPython } from './pyodide.mjs';
import { writeAll } from './child-frames.mjs';

/** @type {{pyodide: string, runtime: string}} */
const settings = JSON.parse(process.argv[2] ?? '');
const python = await startPython(settings.pyodide, { _makeSnapshot: true });

const library = `${settings.runtime}/gatehouse_sandbox`;
python.FS.mkdirTree('/runtime/gatehouse_sandbox');
for (const file of readdirSync(library).filter((name) => name.endsWith('.py'))) {
  python.FS.writeFile(`/runtime/gatehouse_sandbox/${file}`, readFileSync(`${library}/${file}`));
}
// What a tool may import is imported once here, so that neither a child's start nor a call pays for it.
python.runPython(`
import importlib, sys
sys.path.insert(0, '/runtime')
from gatehouse_sandbox.allowed_imports import ALLOWED
for name in ALLOWED: importlib.import_module(name)
from gatehouse_sandbox.serve import serve
serve('{"kind": "compile", "source": "def warm(x: int) -> int:\\\\n    \\\\"\\\\"\\\\"Warm.\\\\"\\\\"\\\\"\\\\n    return x\\\\n"}', 99, 99)
`);
writeAll(python.makeMemorySnapshot());

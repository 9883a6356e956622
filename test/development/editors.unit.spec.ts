import { readFileSync } from 'node:fs';
import { FIRST_PORT } from '../../scripts/dev/inspector-ports.mjs';
import { services } from '../../scripts/launcher/services.mjs';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the editor settings', () => {
  it('have the inspector port that npm run dev opens for each service', () => {
    const { configurations, compounds } = JSON.parse(read('.vscode/launch.json')) as {
      configurations: { name: string; request: string; port?: number }[];
      compounds: { configurations: string[] }[];
    };
    const attached = configurations.filter(({ request }) => request === 'attach');
    expect(attached.map(({ name, port }) => [name, port])).toEqual(
      services.map(({ name }, index) => [name, FIRST_PORT + index]),
    );
    expect(compounds[0]?.configurations).toEqual(services.map(({ name }) => name));
  });

  it('match what prettier makes of a file', () => {
    const { printWidth } = JSON.parse(read('.prettierrc.json')) as { printWidth: number };
    const [everywhere = ''] = read('.editorconfig')
      .split('\n\n')
      .filter((section) => section.startsWith('[*]'));
    expect(everywhere).toContain(`max_line_length = ${printWidth}\n`.trim());
    // Prettier's defaults, which .prettierrc.json does not change.
    expect(everywhere).toContain('indent_style = space\nindent_size = 2\n');
    expect(everywhere).toContain('end_of_line = lf\n');
  });

  it('use the Node that npm start fetches where there is none', () => {
    const [, version] = /'linux-x64': \{[^}]*version: '([\d.]+)'/.exec(read('scripts/launcher/node.mjs')) ?? [];
    const { image } = JSON.parse(read('.devcontainer/devcontainer.json')) as { image: string };
    expect(image).toBe(`node:${version}-bookworm`);
  });
});

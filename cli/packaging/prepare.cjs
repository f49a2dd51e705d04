'use strict';

const { execFileSync } = require('child_process');
const { existsSync } = require('fs');
const path = require('path');

// Run by npm after `npm ci` and `npm install`: builds as `npm run build` does, where the packages for that are installed.
// `npm ci --omit=dev` does not install them. CommonJS, so that every version of Node can read it.

const root = path.join(__dirname, '..', '..');
if (
  existsSync(path.join(root, 'node_modules', 'vite')) &&
  existsSync(path.join(root, 'node_modules', 'node'))
) {
  // By name, so that it is the Node that was installed: npm puts it first on the path.
  execFileSync('node', [path.join(root, 'build.ts')], { cwd: root, stdio: 'inherit' });
}

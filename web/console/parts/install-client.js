import { ROOT } from '../../shared/ask-service.js';
import { CLIENT_SHA256 } from '../client-package.js';
import { html } from '../html.js';
import { CommandLine } from './copy.js';

/** How the terminal client is installed from this service. */
export const InstallClient = () =>
  CLIENT_SHA256 === null
    ? html`<p class="quiet">
        This service has no package of the terminal client. Its operator makes it with <code>npm run build</code>, and starts
        the service again.
      </p>`
    : html`
        ${
          // Secure: over https, or from the machine of the service itself.
          !isSecureContext &&
          html`<p class="notice">
            First open this page at an address with <strong>https</strong>: over plain http, anybody on the way can change the
            program. If the service has no such address, ask its operator for the SHA-256, and compare it.
          </p>`
        }
        <${CommandLine} label="Install the terminal client" line=${`npm install -g ${new URL('cli.tgz', ROOT).href}`} />
        <p class="quiet digest">Needs Node 20.19 or later. SHA-256 of the package: <code>${CLIENT_SHA256}</code></p>
      `;

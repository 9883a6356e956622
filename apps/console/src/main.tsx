import './component-styles.js';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient, router } from './app/router.js';
import { unreachableCode } from './api/connection.js';
import { cspNonce } from './csp-nonce.js';
import { Toasts } from './shell/toasts.js';
import { theme } from './theme.js';

// In the words of the browser, the router would load the page anew at once, which ends at the browser's own error page
// while Gatehouse is away.
window.addEventListener('vite:preloadError', ({ payload }) => {
  payload.message = unreachableCode;
});

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');

// Before anything renders: requests the session, the code of the addressed page and its data.
const { pathname, search } = router.latestLocation;
void router.preloadRoute({ to: pathname, search });

// A transition lets the browser handle input in between, on slow machines too.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => cspNonce ?? ''}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <Toasts />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  ),
);

// Shows a page of ours, not the browser's, to whoever comes while Gatehouse is away. Browsers have it where they trust
// the address: by TLS, or on this computer. Without it nothing else is missing.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => void navigator.serviceWorker.register('/offline-worker.js').catch(() => null));
}

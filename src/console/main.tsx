import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { noteOnline } from './api/connection.ts';
import { App } from './app.tsx';
import './styles/index.css';
import { preferredLanguage, showLanguage } from './texts/i18n.ts';

const root = document.getElementById('root');
// Also on a page that asks for nothing now. Whether the server answers shows the next request.
addEventListener('offline', () => noteOnline(false));
addEventListener('online', () => noteOnline(true));
if (root !== null) {
  await showLanguage(preferredLanguage());
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

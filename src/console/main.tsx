import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles/index.css';
import { preferredLanguage, showLanguage } from './texts/i18n.ts';

const root = document.getElementById('root');
if (root !== null) {
  await showLanguage(preferredLanguage());
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

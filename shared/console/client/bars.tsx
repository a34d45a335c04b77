import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { grouped } from './amounts.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

export type Bar = { readonly name: string; readonly amount: string };

const colorOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Whether the page is dark. A canvas does not follow style sheets, so that it is drawn again. */
const useIsDark = (): boolean => {
  const [query] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const read = () => setDark(query.matches);
    query.addEventListener('change', read);
    return () => query.removeEventListener('change', read);
  }, [query]);
  return isDark;
};

/** Bars with their values on hover. A table next to the plot has the same figures. */
export const Bars = ({ title, bars, currency }: { title: string; bars: readonly Bar[]; currency: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    if (!canvas.current) return;
    const [ink, line, accent] = [colorOf('--soft'), colorOf('--line'), colorOf('--accent')];
    const chart = new Chart(canvas.current, {
      type: 'bar',
      data: {
        labels: bars.map(({ name }) => name),
        // A plot needs numbers; the figures of the page are the decimal strings.
        datasets: [{ label: title, data: bars.map(({ amount }) => Number(amount)), backgroundColor: accent }],
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        plugins: {
          tooltip: { callbacks: { label: ({ dataIndex }) => `${grouped(bars[dataIndex]?.amount ?? '')} ${currency}` } },
        },
        scales: {
          x: { ticks: { color: ink }, grid: { display: false } },
          y: {
            beginAtZero: true,
            ticks: { color: ink },
            grid: { color: line },
            title: { display: true, text: currency, color: ink },
          },
        },
      },
    });
    return () => chart.destroy();
  }, [bars, title, currency, isDark]);
  if (!bars.some(({ amount }) => /[1-9]/.test(amount))) return null;
  return (
    <div class="plot">
      <canvas ref={canvas} role="img" aria-label={`${title}. The table next to the plot has the figures.`} />
    </div>
  );
};

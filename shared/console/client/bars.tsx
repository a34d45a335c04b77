import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { useEffect, useRef } from 'preact/hooks';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

export type Bar = { readonly name: string; readonly amount: string };

const colorOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Bars with their values on hover. The table below has the same figures. */
export const Bars = ({ title, bars }: { title: string; bars: readonly Bar[] }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
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
        plugins: { tooltip: { callbacks: { label: ({ dataIndex }) => bars[dataIndex]?.amount ?? '' } } },
        scales: {
          x: { ticks: { color: ink }, grid: { display: false } },
          y: { beginAtZero: true, ticks: { color: ink }, grid: { color: line } },
        },
      },
    });
    return () => chart.destroy();
  }, [bars, title]);
  return (
    <div class="plot">
      <canvas ref={canvas} role="img" aria-label={`${title}, by month. The table below has the figures.`} />
    </div>
  );
};

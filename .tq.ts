import { calculate } from './shared/calculations/calculate.ts';
import { defaultSettings } from './shared/accounts/account.ts';
import { builtInReleaseFor } from './shared/catalog/built-in.ts';
import { readFileSync } from 'node:fs';
const lines = readFileSync(0,'utf8').split('\n').filter(l=>l.trim()&&!l.startsWith('#'));
for (const l of lines){
  // zip|city|state|date|code@price[xq][,code...]|shipping|opts json
  const [zip,city,state,date,items,ship,opts]=l.split('|').map(s=>s.trim());
  const line_items=items.split(';').map(i=>{const [c,p]=i.split('@');const [u,q]=p.split('x');return {product_tax_code:c,unit_price:u,quantity:q??'1'}});
  const input:any={tax_date:date||'2026-11-20',customer:{address:{state,...(zip&&{postal_code:zip}),...(city&&{city})}},line_items,...(ship&&{shipping:[{amount:ship.split(' ')[0],...(ship.split(' ')[1]&&{product_tax_code:ship.split(' ')[1]})}]}),...(opts?JSON.parse(opts):{})};
  const r:any=calculate(input,{settings:{...defaultSettings('2026-10-08'),retail_delivery_fee:'none'},releaseFor:builtInReleaseFor,now:Date.parse('2026-11-20T12:00:00Z')},[]);
  console.log('>>',l);
  if(!r.ok){console.log('  REFUSED',JSON.stringify(r.problems).slice(0,400));continue;}
  const o=r.value;
  const show=(x:any,n:string)=>{console.log('  ',n,x.net_amount,'tax',x.tax_amount);for(const j of x.tax_breakdown??x.taxes??[])console.log('      ',j.jurisdiction?.name??j.jurisdiction_name??JSON.stringify(j).slice(0,200),j.rate,'taxable',j.taxable_amount,'tax',j.tax_amount,j.taxability_reason??j.reason);};
  o.line_items.forEach((x:any)=>show(x,x.product_tax_code));
  (o.shipping??[]).forEach((x:any)=>show(x,'ship '+(x.product_tax_code??'')));
  const w=new Map<string,Set<string>>();o.warnings.forEach((x:any)=>{const s=w.get(x.code)??new Set();s.add(x.message);w.set(x.code,s)});
  for(const [c,ms] of w)for(const m of ms)console.log('   !',c,m.slice(0,260));
}

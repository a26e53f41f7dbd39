import{createHash}from'node:crypto';import zlib from'node:zlib';
export const etag=async(stream)=>{const h=createHash('sha1');for await(const c of stream)h.update(c);return'"'+h.digest('hex')+'"'};
export function pack(rows){
let n=0,out=[];for(const r of rows){if(!r)continue;n+=r.length;out.push(r)}
if(n>1e6)throw RangeError('big');return zlib.gzipSync(out.join('\n'))
}

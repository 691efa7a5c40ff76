"""prototype"""
import numpy as np
from planner.decoder import decode_linear
from planner.model import NEVER
from planner.native import kernel
from planner.orders import *
from planner.orders import submit_order, shortest_first, smallest_first, smallest_area_first

@kernel
def seed_orders(arrays):
    jobs=arrays.jobs
    n=len(jobs.procs)
    seeds=np.empty((5,n),np.int64)
    seeds[0]=np.argsort(smallest_area_first(jobs,arrays.now),kind="mergesort")
    seeds[1]=np.argsort(arrays.planned,kind="mergesort")
    seeds[2]=np.argsort(shortest_first(jobs,arrays.now),kind="mergesort")
    seeds[3]=np.arange(n)
    seeds[4]=np.argsort(smallest_first(jobs,arrays.now),kind="mergesort")
    return seeds

@kernel
def move(order, candidate, i, j):
    """candidate = order with position i moved to position j"""
    n=len(order)
    if i<j:
        candidate[:i]=order[:i]
        candidate[i:j]=order[i+1:j+1]
        candidate[j]=order[i]
        candidate[j+1:]=order[j+1:]
    else:
        candidate[:j]=order[:j]
        candidate[j]=order[i]
        candidate[j+1:i+1]=order[j:i]
        candidate[i+1:]=order[i+1:]

@kernel
def anneal(arrays, cost, rng, best_order, best_start, best_cost, evaluations, t0, t1, r, moves, kind, reset):
    n=len(best_order)
    jobs=arrays.jobs
    order=best_order.copy()
    cur=best_cost
    cand=np.empty(n,np.int64)
    start=np.empty(n,np.int64)
    T=t0
    count=0
    scale=best_cost
    for e in range(evaluations):
        if kind==0:
            i=rng.integers(0,n); j=rng.integers(0,n-1)
            if j>=i: j+=1
            move(order,cand,i,j)
        elif kind==1:  # swap or insert
            i=rng.integers(0,n); j=rng.integers(0,n-1)
            if j>=i: j+=1
            if rng.random()<0.5: move(order,cand,i,j)
            else:
                cand[:]=order; cand[i]=order[j]; cand[j]=order[i]
        elif kind==2:  # front biased insertion
            a=rng.random(); b=rng.random()
            i=int(a*n); j=int(b*b*n)
            if i==j: j=(i+1)%n
            move(order,cand,i,j)
        elif kind==3: # local: distance biased
            i=rng.integers(0,n)
            d=1+int(rng.random()**3*(n-1))
            if rng.random()<0.5: d=-d
            j=i+d
            if j<0: j=0
            if j>=n: j=n-1
            if i==j: j=i-1 if i>0 else 1
            move(order,cand,i,j)
        decode_linear(arrays,cand,start)
        c=cost(start,jobs,arrays.now)
        if c<=cur-T*scale*np.log(1.0-rng.random()):
            order[:]=cand
            cur=c
            if c<best_cost:
                best_cost=c
                best_order[:]=cand
                best_start[:]=start
        count+=1
        if count>=moves:
            count=0
            T*=r
            if T<t1:
                T=t0
                if reset:
                    order[:]=best_order
                    cur=best_cost
    return best_cost

@kernel
def decide_plan(arrays, order, cost, params, rng, start, report):
    jobs=arrays.jobs
    n=len(start)
    free=arrays.capacity-arrays.running.procs.sum()
    if jobs.procs.min()>free:
        for i in range(n):
            start[i]=arrays.planned[i] if arrays.planned[i]>arrays.now else NEVER
        return
    seeds=seed_orders(arrays)
    trial=np.empty(n,np.int64)
    best=np.inf
    bo=seeds[0].copy()
    for k in range(len(seeds)):
        decode_linear(arrays,seeds[k],trial)
        c=cost(trial,jobs,arrays.now)
        if c<best:
            best=c; bo[:]=seeds[k]; start[:]=trial
    report[1]=best
    if n>1 and params[0]>0:
        best=anneal(arrays,cost,rng,bo,start,best,int(params[0]),params[1],params[2],params[3],int(params[4]),int(params[5]),params[6]>0)
        report[0]=params[0]
    report[2]=best
